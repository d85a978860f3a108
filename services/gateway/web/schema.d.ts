// Made by `make types` from /openapi.json: edit the structs of the gateway instead.

export type Alive = {
  status: "alive";
};

export type Annotation = {
  url_citation: UrlCitation;
  type: "url_citation";
};

export type Answer = {
  answer_id: string;
  book: string;
  edition: number;
  mode: "book" | "selection";
  question: string;
  text: string;
  sentences: Array<Sentence>;
  citations: Array<Citation>;
  refusal: Refusal | null;
  confidence: Confidence;
  profile: string;
  degraded: Array<string>;
  timings: Array<StageTiming>;
  timestamp: string;
  searched_question: string;
  checks: Array<Check>;
  withheld: Array<WithheldSentence>;
  model_use: ModelUse | null;
  verifier_use: ModelUse | null;
  omitted: Array<string>;
  suggested_questions: Array<string>;
  notice: string;
  missing_entities: Array<string>;
  corrections: Array<SpellingCorrection>;
  grounding: "cited" | "supported" | "verbatim";
  replayed: boolean;
};

export type AnswerMessage = {
  content: string;
  annotations: Array<Annotation>;
  role: "assistant";
  refusal: null;
};

export type AnswerRequest = {
  question: string;
  selection?: SelectionBody | null;
  section_path?: Array<string>;
  history?: Array<MessageBody>;
  profile?: string;
  session?: string;
  user?: string;
  document?: string;
  chapter?: string;
  page?: number | string;
};

export type Block = {
  kind: "admonition" | "caption" | "code" | "footnote" | "heading" | "list_item" | "math" | "paragraph" | "quote" | "table";
  start: number;
  end: number;
  level: number;
  label: string;
  page: number | null;
};

export type Book = {
  slug: string;
  title: string;
  edition: number;
  document_count: number;
  chunk_count: number;
  language: string;
  publish_time: string | null;
  authors: Array<string>;
  year: number;
  languages: Array<string>;
};

export type BookIndexState = {
  book: string;
  state: "indexed" | "indexing" | "reindexing" | "stale" | "unindexed";
  documents: Array<DocumentIndexState>;
  next_cursor: string;
};

export type BookList = {
  books: Array<Book>;
  warnings: Array<string>;
  next_cursor: string;
};

export type ChatError = {
  message: string;
  type: string;
  code: string;
  param: null;
};

export type ChatMessage = {
  role: "assistant" | "developer" | "function" | "system" | "tool" | "user";
  content?: string | Array<ContentPart> | null;
};

export type ChatProblem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  error: ChatError;
};

export type ChatQuery = {
  query?: string;
  selected_text?: string;
  conversation_history?: Array<MessageBody>;
  document?: string;
  profile?: string;
  session?: string;
  user?: string;
};

export type ChatReply = {
  response: string;
  source_chunks: Array<SourceChunk>;
  mode: "rag" | "selected_text";
  timestamp: string;
  confidence_score: number;
  confidence_level: "high" | "low" | "medium" | null;
  citations: Array<Citation>;
  answer_id: string;
  nearest: Array<Citation>;
};

export type ChatRequest = {
  model: string;
  messages: Array<ChatMessage>;
  stream?: boolean;
  stream_options?: StreamOptions | null;
  user?: string | null;
  safety_identifier?: string | null;
};

export type Check = {
  kind: string;
  passed: boolean;
  reason: string;
};

export type Choice = {
  message: AnswerMessage;
  index: number;
  finish_reason: "stop";
  logprobs: null;
};

export type Chunk = {
  id: string;
  created: number;
  model: string;
  choices: Array<ChunkChoice>;
  usage: Usage | null;
  quoth: Proof | null;
  object: "chat.completion.chunk";
};

export type ChunkChoice = {
  delta: Delta;
  finish_reason: "stop" | null;
  index: number;
  logprobs: null;
};

export type Citation = {
  n: number;
  quote: string;
  document: string;
  start: number;
  end: number;
  section_path: Array<string>;
  url: string | null;
  page: number | null;
  chunk_id: string;
  snippet: string;
  verdict: "exact" | "normalised" | "supported";
  table_header: string | null;
  page_label: string | null;
  marker: string;
};

export type CitedQuote = {
  document: string;
  quote: string;
  section_path: Array<string>;
};

export type ClientKey = {
  key_id: string;
  client: string;
  scopes: Array<"admin" | "ask" | "ingest" | "read">;
  books: Array<string>;
  rate_per_minute: number;
  tokens_per_day: number | null;
  state: "active" | "expired" | "revoked";
  create_time: string;
  expire_time: string | null;
  revoke_time: string | null;
  origins: Array<string>;
};

export type Code = {
  language: string;
  text: string;
};

export type CodePart = {
  start: number;
  end: number;
  kind: "comment" | "keyword" | "name" | "number" | "string";
};

export type CodeRead = {
  parts: Array<Array<CodePart>>;
};

export type CodeRequest = {
  pieces: Array<Code>;
};

export type Completion = {
  id: string;
  created: number;
  model: string;
  choices: Array<Choice>;
  usage: Usage;
  quoth: Proof;
  object: "chat.completion";
};

export type Confidence = {
  score: number;
  level: "high" | "low" | "medium" | null;
};

export type ContentPart = {
  type: string;
  text?: string;
};

export type Coverage = {
  book: string;
  sections: Array<SectionCoverage>;
  asked: number;
  nothing_found: number;
  zero_result_rate: number;
  alarm: boolean;
};

export type Delta = {
  role: "" | "assistant";
  content: string;
  annotations: Array<Annotation>;
};

export type Difference = {
  from_edition: number;
  to_edition: number;
  documents: Array<DocumentChange>;
  chunks_kept: number;
  chunks_added: number;
  chunks_removed: number;
};

export type Document = {
  book: string;
  edition: number;
  path: string;
  title: string;
  length: number;
  content_hash: string;
  chunk_count: number;
  text: string;
  blocks: Array<Block>;
  sections: Array<Section>;
  markup: Array<Markup>;
  images: Array<Image>;
  start: number;
  next_start: number | null;
};

export type DocumentChange = {
  path: string;
  change: string;
  old_path: string | null;
  chunks_added: number;
  chunks_removed: number;
};

export type DocumentIndexState = {
  path: string;
  state: "indexed" | "indexing" | "reindexing" | "stale" | "unindexed";
};

export type DocumentList = {
  book: string;
  edition: number;
  documents: Array<DocumentSummary>;
  next_cursor: string;
};

export type DocumentReport = {
  path: string;
  change: string;
  visible_characters: number;
  covered_characters: number;
  missing: Array<MissingRange>;
  blocks: Record<string, number>;
  chunks: number;
  chunks_new: number;
  tokens: number;
  warnings: Array<string>;
  failure: string | null;
  dropped_content: Array<DroppedContent>;
  language: string | null;
};

export type DocumentSummary = {
  path: string;
  title: string;
  length: number;
  content_hash: string;
  chunk_count: number;
  depth: number;
  part_titles: Array<string>;
};

export type DroppedContent = {
  kind: string;
  place: string;
  reason: string;
  characters: number;
  dropped: boolean;
};

export type Edition = {
  number: number;
  title: string;
  document_count: number;
  chunk_count: number;
  publish_time: string;
  current: boolean;
  reasons: Array<string>;
};

export type EditionList = {
  book: string;
  editions: Array<Edition>;
  next_cursor: string;
};

export type Feedback = {
  rating: "down" | "up";
  reason: "incomplete" | "off_topic" | "other" | "should_have_answered" | "should_have_refused" | "wrong" | null;
  comment: string;
  create_time: string;
};

export type FeedbackRequest = {
  rating: "down" | "up";
  reason?: "incomplete" | "off_topic" | "other" | "should_have_answered" | "should_have_refused" | "wrong" | null;
  comment?: string;
};

export type Formula = {
  tex: string;
  display?: boolean;
};

export type FormulasDrawn = {
  mathml: Array<string>;
};

export type FormulasRequest = {
  formulas: Array<Formula>;
};

export type Gate = {
  probability: number;
  threshold: number;
  passed: boolean;
  features: Record<string, number>;
};

export type Grade = {
  grade: "right" | "should_have_answered" | "should_have_refused" | "wrong";
  note: string;
  document: string;
  quote: string;
  client: string;
  create_time: string;
};

export type GradeRequest = {
  grade: "right" | "should_have_answered" | "should_have_refused" | "wrong";
  note?: string;
  document?: string;
  quote?: string;
};

export type Image = {
  image_id: string;
  media_type: string;
  width: number;
  height: number;
};

export type IngestJob = {
  job_id: string;
  book: string;
  state: "cancelled" | "checked" | "done" | "failed" | "published" | "queued" | "running";
  stage: string;
  documents_total: number;
  documents_done: number;
  chunks_total: number;
  chunks_done: number;
  chunks_reused: number;
  edition: number | null;
  error: string | null;
  warnings: Array<string>;
  tokens_total: number;
  tokens_done: number;
  left_s: number | null;
  report: IngestReport | null;
  waits_for: "book" | "retry" | "worker" | null;
  kind: "compare" | "delete_book" | "delete_document" | "dry_run" | "ingest" | "roll_back" | "vacuum";
  difference: Difference | null;
  vacuumed: Vacuumed | null;
};

export type IngestReport = {
  edition: number;
  reasons: Array<string>;
  documents: Array<DocumentReport>;
  removed: Array<string>;
  chunks_new: number;
  chunks_kept: number;
  chunks_removed: number;
  vectors_new: number;
  vectors_reused: number;
  seconds: Record<string, number>;
  warnings: Array<string>;
  language: string | null;
};

export type JobEnvelope = {
  job: IngestJob;
};

export type JobsEnvelope = {
  jobs: Array<IngestJob>;
};

export type KeyList = {
  keys: Array<ClientKey>;
  next_cursor: string;
};

export type KeyMade = {
  key: ClientKey;
  text: string;
};

export type KeyRequest = {
  client: string;
  scopes?: Array<"admin" | "ask" | "ingest" | "read"> | null;
  books?: Array<string>;
  rate_per_minute?: number | null;
  tokens_per_day?: number | null;
  lifetime_s?: number | null;
  origins?: Array<string>;
};

export type Markup = {
  kind: "alignment" | "anchor" | "code" | "column_span" | "direction" | "emphasis" | "footnote_reference" | "formula" | "header_cell" | "image" | "language" | "link" | "page" | "page_label" | "row_span" | "strong" | "subscript" | "superscript";
  start: number;
  end: number;
  value: string;
};

export type MessageBody = {
  role?: "user" | "assistant";
  content?: string;
};

export type MissingRange = {
  start: number;
  end: number;
  text: string;
  reason: string;
};

export type Model = {
  id: string;
  created: number;
  object: "model";
  owned_by: string;
};

export type ModelList = {
  data: Array<Model>;
  object: "list";
};

export type ModelUse = {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
};

export type PageBox = {
  left: number;
  top: number;
  width: number;
  height: number;
};

export type Passage = {
  chunk_id: string;
  document: string;
  start: number;
  end: number;
  section_path: Array<string>;
  url: string | null;
  page: number | null;
  anchor: string;
  text: string;
  spans: Array<Span>;
  scores: PassageScores;
  table_header: string | null;
  footnotes: Array<string>;
  page_label: string | null;
};

export type PassageScores = {
  fused: number;
  dense: number;
  bm25: number;
  dense_rank: number | null;
  bm25_rank: number | null;
  boost: number | null;
};

export type PassagesFound = {
  passages: Array<Passage>;
  answer_id: string;
};

export type PlacesOnPage = {
  boxes: Array<PageBox>;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
};

export type Proof = {
  answer_id: string;
  edition: number;
  confidence: Confidence;
  refusal: Refusal | null;
  citations: Array<Citation>;
};

export type ReaderFeedback = {
  rating: "down" | "up";
  reason: string;
  comment: string;
};

export type Readiness = {
  status: "not_ready" | "ready";
  parts: Record<string, "not_serving" | "serving">;
  degraded: Array<string>;
};

export type Refusal = {
  code: "declined" | "no_question" | "not_covered" | "not_verified" | "nothing_found";
  message: string;
  related_sections: Array<string>;
  suggested_questions: Array<string>;
  nearest: Array<Citation>;
};

export type RenameRequest = {
  title: string;
};

export type ReviewList = {
  answers: Array<ReviewedAnswer>;
  next_cursor: string;
};

export type ReviewedAnswer = {
  answer_id: string;
  create_time: string;
  book: string;
  edition: number;
  client: string;
  question: string;
  text: string;
  outcome: "answered" | "failed" | "refused";
  reason: string;
  confidence: number;
  confidence_level: "high" | "low" | "medium" | null;
  citations: Array<CitedQuote>;
  feedback: ReaderFeedback | null;
  grade: Grade | null;
};

export type RotateRequest = {
  overlap_s?: number;
};

export type SearchRequest = {
  question: string;
  selection?: SelectionBody | null;
  section_path?: Array<string>;
  document?: string;
  chapter?: string;
  page?: number | string;
  max_passages?: number;
  profile?: string;
};

export type SearchResult = {
  book: string;
  edition: number;
  question: string;
  passages: Array<Passage>;
  gate: Gate;
  related_sections: Array<string>;
  selection_widened: boolean;
  degraded: Array<string>;
  timings: Array<StageTiming>;
  searched_question: string;
  corrections: Array<SpellingCorrection>;
  avg_similarity: number;
};

export type Section = {
  path: Array<string>;
  anchor: string;
  level: number;
  start: number;
  end: number;
};

export type SectionCoverage = {
  document: string;
  section_path: Array<string>;
  asked: number;
  answered: number;
  refused: number;
  low_confidence: number;
  thumbs_down: number;
};

export type SectionWithWords = {
  document: string;
  section_path: Array<string>;
  count: number;
  start: number;
  end: number;
  excerpt: string;
  excerpt_start: number;
  excerpt_end: number;
};

export type SelectionBody = {
  document: string;
  start?: number | null;
  end?: number | null;
  text?: string;
};

export type Sentence = {
  text: string;
  citations: Array<number>;
  checks: Array<Check>;
  kind: "paraphrased" | "quoted";
  probability: number;
  stands_in: boolean;
  role: "lead" | "support";
};

export type SentenceReleased = {
  sentence: Sentence;
  citations: Array<Citation>;
};

export type Session = {
  session_id: string;
  book: string;
  messages: Array<SessionMessage>;
  create_time: string;
  expire_time: string;
};

export type SessionMessage = {
  role: "assistant" | "user";
  content: string;
  timestamp: string;
  answer_id: string | null;
  citations: Array<string>;
};

export type SourceChunk = {
  chapter: string;
  section: string | null;
  snippet: string;
};

export type Span = {
  start: number;
  end: number;
  kind: "admonition" | "caption" | "code" | "footnote" | "heading" | "list_item" | "math" | "paragraph" | "quote" | "table";
  score: number;
  highlighted: boolean;
};

export type SpellingCorrection = {
  asked: string;
  searched: string;
};

export type StageTiming = {
  stage: string;
  allowed_ms: number;
  used_ms: number;
  outcome: "cancelled" | "capped" | "failed" | "not_started" | "ok";
};

export type StreamOptions = {
  include_usage?: boolean;
};

export type Suggestions = {
  book: string;
  edition: number;
  questions: Array<string>;
};

export type UrlCitation = {
  start_index: number;
  end_index: number;
  url: string;
  title: string;
  quote: string;
};

export type Usage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
};

export type Vacuumed = {
  editions: Array<number>;
  chunks: number;
  documents: number;
  vectors: number;
  left: string;
};

export type WithheldSentence = {
  checks: Array<Check>;
  replaced: boolean;
};

export type WordsFound = {
  book: string;
  edition: number;
  total: number;
  section_count: number;
  sections: Array<SectionWithWords>;
  next_cursor: string;
};

export type WordsRequest = {
  words: string;
  edition?: number | null;
  limit?: number | null;
  cursor?: string;
};

export type DiffEditionsQuery = {
  from?: number;
  to?: number;
};

export type FindOnPageQuery = {
  document: string;
  edition?: number;
  start: number;
  end: number;
};

export type GetCoverageQuery = {
  since?: string;
  until?: string;
};

export type GetDocumentQuery = {
  edition?: number;
  start?: number;
  length?: number;
  content_hash?: string;
};

export type GetImageQuery = {
  edition?: number;
};

export type GetIndexStateQuery = {
  limit?: number;
  cursor?: string;
};

export type GetPageQuery = {
  document: string;
  edition?: number;
};

export type ListAnswersQuery = {
  book?: string;
  outcome?: "answered" | "refused" | "failed";
  confidence?: "low" | "medium" | "high";
  rating?: "up" | "down";
  grade?: "right" | "wrong" | "should_have_refused" | "should_have_answered";
  graded?: boolean;
  since?: string;
  until?: string;
  text?: string;
  limit?: number;
  cursor?: string;
};

export type ListBooksQuery = {
  limit?: number;
  cursor?: string;
};

export type ListDocumentsQuery = {
  edition?: number;
  limit?: number;
  cursor?: string;
};

export type ListEditionsQuery = {
  limit?: number;
  cursor?: string;
};

export type ListKeysQuery = {
  limit?: number;
  cursor?: string;
};

export type RollBackQuery = {
  edition?: number;
};

export type StartIngestQuery = {
  file_name: string;
  title?: string;
  language?: string;
  profile?: string;
  dry_run?: boolean;
  allow_partial?: boolean;
};

export type SuggestQuestionsQuery = {
  profile?: string;
  answer?: string;
};

export type VacuumBookQuery = {
  keep?: number;
};
