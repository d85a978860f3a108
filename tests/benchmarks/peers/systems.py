"""The peers, each by its own documented path from documents to an answer.

All get the same embedder and a model that answers at once, so what differs is the framework. A
store without a splitter of its own gets the one most used beside it, LangChain's.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

TOP = 5
ANSWER = "The book says so [Source 1]."
PROMPT = (
    "Answer ONLY using the retrieved passages. Cite sources as [Source N].\n\n"
    "{context}\n\nQuestion: {question}"
)


class Embed(Protocol):
    """Texts in, vectors out."""

    def __call__(self, texts: Sequence[str]) -> list[list[float]]: ...


class System(Protocol):
    """One peer. Its constructor does the imports."""

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        """Split, embed and index (path, text) pairs. Returns the number of chunks."""
        ...

    def answer(self, question: str) -> tuple[str, list[str]]:
        """Return the model's text and the passages that it was given."""
        ...


def split_with_langchain(characters: int) -> Callable[[str], list[str]]:
    from langchain_text_splitters import MarkdownTextSplitter

    return MarkdownTextSplitter(chunk_size=characters, chunk_overlap=0).split_text


def number_passages(passages: Sequence[str]) -> str:
    return "\n\n".join(f"[Source {n}]: {text}" for n, text in enumerate(passages, 1))


class LangChain:
    """MarkdownTextSplitter, InMemoryVectorStore, and an LCEL chain: retriever, prompt, model."""

    package = "langchain-core"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        from langchain_core.documents import Document
        from langchain_core.embeddings import Embeddings
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.output_parsers import StrOutputParser
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_core.vectorstores import InMemoryVectorStore
        from langchain_text_splitters import MarkdownTextSplitter

        class Given(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return embed(texts)

            def embed_query(self, text: str) -> list[float]:
                return embed([text])[0]

        self._document = Document
        self._splitter = MarkdownTextSplitter(chunk_size=characters, chunk_overlap=0)
        self._store = InMemoryVectorStore(Given())
        self._retriever = self._store.as_retriever(search_kwargs={"k": TOP})
        self._chain = (
            ChatPromptTemplate.from_template(PROMPT)
            | FakeListChatModel(responses=[ANSWER])
            | StrOutputParser()
        )

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        whole = [
            self._document(page_content=text, metadata={"path": path}) for path, text in documents
        ]
        chunks = self._splitter.split_documents(whole)
        self._store.add_documents(chunks)
        return len(chunks)

    def answer(self, question: str) -> tuple[str, list[str]]:
        passages = [found.page_content for found in self._retriever.invoke(question)]
        given = {"context": number_passages(passages), "question": question}
        return self._chain.invoke(given), passages


class LlamaIndex:
    """SentenceSplitter, VectorStoreIndex, and its query engine."""

    package = "llama-index-core"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        from llama_index.core import Document, Settings, VectorStoreIndex
        from llama_index.core.embeddings import BaseEmbedding
        from llama_index.core.llms import MockLLM
        from llama_index.core.node_parser import SentenceSplitter

        class Given(BaseEmbedding):
            def _get_query_embedding(self, query: str) -> list[float]:
                return embed([query])[0]

            async def _aget_query_embedding(self, query: str) -> list[float]:
                return embed([query])[0]

            def _get_text_embedding(self, text: str) -> list[float]:
                return embed([text])[0]

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                return embed(texts)

        class Instant(MockLLM):
            def complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
                from llama_index.core.llms import CompletionResponse

                return CompletionResponse(text=ANSWER)

        # Its tokenizer is downloaded at first use; words are close enough for a size.
        Settings.tokenizer = str.split
        Settings.llm = Instant()
        self._embedder = Given(embed_batch_size=64)
        self._document = Document
        self._index_type = VectorStoreIndex
        self._splitter = SentenceSplitter(
            chunk_size=max(20, characters // 6), chunk_overlap=0, tokenizer=str.split
        )
        self._engine: Any = None

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        whole = [self._document(text=text, metadata={"path": path}) for path, text in documents]
        nodes = self._splitter.get_nodes_from_documents(whole)
        index = self._index_type(nodes, embed_model=self._embedder)
        self._engine = index.as_query_engine(similarity_top_k=TOP)
        return len(nodes)

    def answer(self, question: str) -> tuple[str, list[str]]:
        response = self._engine.query(question)
        return str(response), [found.node.get_content() for found in response.source_nodes]


class Haystack:
    """DocumentSplitter by words, InMemoryDocumentStore, and one pipeline to answer."""

    package = "haystack-ai"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        from haystack import Document, Pipeline, component
        from haystack.components.builders import ChatPromptBuilder
        from haystack.components.preprocessors import DocumentSplitter
        from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
        from haystack.components.writers import DocumentWriter
        from haystack.dataclasses import ChatMessage
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        @component
        class EmbedText:
            @component.output_types(embedding=list[float])
            def run(self, text: str) -> dict[str, Any]:
                return {"embedding": embed([text])[0]}

        @component
        class EmbedDocuments:
            @component.output_types(documents=list[Document])
            def run(self, documents: list[Document]) -> dict[str, Any]:
                vectors = embed([document.content or "" for document in documents])
                made = [
                    Document(content=document.content, meta=document.meta, embedding=vector)
                    for document, vector in zip(documents, vectors, strict=True)
                ]
                return {"documents": made}

        @component
        class Instant:
            @component.output_types(replies=list[ChatMessage])
            def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
                return {"replies": [ChatMessage.from_assistant(ANSWER)]}

        template = (
            "Answer ONLY using the retrieved passages. Cite sources as [Source N].\n"
            "{% for document in documents %}[Source {{ loop.index }}]: {{ document.content }}\n"
            "{% endfor %}\nQuestion: {{ question }}"
        )
        self._document = Document
        store = InMemoryDocumentStore(embedding_similarity_function="cosine")
        self._store = store
        self._ingesting = Pipeline()
        self._ingesting.add_component(
            "split", DocumentSplitter(split_by="word", split_length=max(20, characters // 6))
        )
        self._ingesting.add_component("embed", EmbedDocuments())
        self._ingesting.add_component("write", DocumentWriter(store))
        self._ingesting.connect("split.documents", "embed.documents")
        self._ingesting.connect("embed.documents", "write.documents")
        self._answering = Pipeline()
        self._answering.add_component("embed", EmbedText())
        self._answering.add_component("retrieve", InMemoryEmbeddingRetriever(store, top_k=TOP))
        self._answering.add_component(
            "prompt",
            ChatPromptBuilder([ChatMessage.from_user(template)], required_variables="*"),
        )
        self._answering.add_component("model", Instant())
        self._answering.connect("embed.embedding", "retrieve.query_embedding")
        self._answering.connect("retrieve.documents", "prompt.documents")
        self._answering.connect("prompt.prompt", "model.messages")

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        whole = [self._document(content=text, meta={"path": path}) for path, text in documents]
        self._ingesting.run({"split": {"documents": whole}})
        return int(self._store.count_documents())

    def answer(self, question: str) -> tuple[str, list[str]]:
        done = self._answering.run(
            {"embed": {"text": question}, "prompt": {"question": question}},
            include_outputs_from={"retrieve"},
        )
        passages = [document.content or "" for document in done["retrieve"]["documents"]]
        return done["model"]["replies"][0].text or "", passages


class Chroma:
    """LangChain's splitter, a PersistentClient's collection, a formatted prompt."""

    package = "chromadb"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        import chromadb

        self._split = split_with_langchain(characters)
        self._embed = embed
        client = chromadb.PersistentClient(
            str(folder), settings=chromadb.Settings(anonymized_telemetry=False)
        )
        self._collection = client.create_collection(
            "book", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        total = 0
        for path, text in documents:
            chunks = self._split(text)
            self._collection.add(
                ids=[f"{path}#{n}" for n in range(len(chunks))],
                embeddings=self._embed(chunks),
                documents=chunks,
                metadatas=[{"path": path}] * len(chunks),
            )
            total += len(chunks)
        return total

    def answer(self, question: str) -> tuple[str, list[str]]:
        found = self._collection.query(query_embeddings=self._embed([question]), n_results=TOP)
        passages = list((found["documents"] or [[]])[0])
        return _instant(
            PROMPT.format(context=number_passages(passages), question=question)
        ), passages


class LanceDB:
    """LangChain's splitter, a table on disk, a formatted prompt."""

    package = "lancedb"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        import lancedb

        self._split = split_with_langchain(characters)
        self._embed = embed
        self._database = lancedb.connect(str(folder))
        self._table: Any = None

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        rows = []
        for path, text in documents:
            chunks = self._split(text)
            rows += [
                {"text": chunk, "path": path, "vector": vector}
                for chunk, vector in zip(chunks, self._embed(chunks), strict=True)
            ]
        self._table = self._database.create_table("book", data=rows)
        return len(rows)

    def answer(self, question: str) -> tuple[str, list[str]]:
        search = self._table.search(self._embed([question])[0]).distance_type("cosine")
        passages = [row["text"] for row in search.limit(TOP).to_list()]
        return _instant(
            PROMPT.format(context=number_passages(passages), question=question)
        ), passages


class Txtai:
    """LangChain's splitter, Embeddings with content, a formatted prompt."""

    package = "txtai"

    def __init__(self, embed: Embed, folder: Path, characters: int) -> None:
        import numpy as np
        from txtai import Embeddings

        self._split = split_with_langchain(characters)
        self._embeddings = Embeddings(
            method="external",
            transform=lambda texts: np.array(embed(texts), np.float32),
            content=True,
            backend="faiss",
        )

    def ingest(self, documents: Sequence[tuple[str, str]]) -> int:
        rows = [
            (f"{path}#{n}", {"text": chunk, "path": path}, None)
            for path, text in documents
            for n, chunk in enumerate(self._split(text))
        ]
        self._embeddings.index(rows)
        return len(rows)

    def answer(self, question: str) -> tuple[str, list[str]]:
        passages = [found["text"] for found in self._embeddings.search(question, TOP)]
        return _instant(
            PROMPT.format(context=number_passages(passages), question=question)
        ), passages


def _instant(prompt: str) -> str:
    assert prompt
    return ANSWER


SYSTEMS: dict[str, Any] = {
    "LangChain": LangChain,
    "LlamaIndex": LlamaIndex,
    "Haystack": Haystack,
    "Chroma": Chroma,
    "LanceDB": LanceDB,
    "txtai": Txtai,
}
