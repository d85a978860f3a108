"""Look up the synonyms and the forms that a book may use for the words of a question."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache

from libs.language.entries import NO_WORDS
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.said import has_form_of, terms_of, words_in
from libs.text import terms


def known_as(term: str, language: str = "") -> frozenset[str]:
    """Return `term` and the terms that mean about the same in the language."""
    return _groups(language).get(term, frozenset()) | {term}


def reworded_as(term: str, language: str) -> frozenset[str]:
    """Return `term`, its synonyms, and what a book may call the same otherwise."""
    return _loose_groups(language).get(term, frozenset()) | known_as(term, language)


def is_reworded(word: str, said: Iterable[str], language: str) -> bool:
    """Whether one of the words `said` is another word for `word`, as `reworded_as` knows them."""
    return not _meant_by(word, language).isdisjoint(terms_of(frozenset(said)))


@lru_cache(maxsize=4096)
def _meant_by(word: str, language: str) -> frozenset[str]:
    return frozenset[str]().union(*(reworded_as(term, language) for term in terms(word)))


def ask_for_doer(question: str, lexicon: Lexicon) -> list[str]:
    """Return a question for who did something as a book may say it, where no stem joins the forms.

    "Who has written it?" for "Who wrote it?"; "Who is the founder of it?" for "Who founded it?", and
    the other way round. None for other questions.
    """
    rules = lexicon.expected
    if found := rules.doer.match(question):
        called = found["doer"].lower()
        done = (verb for verb, doer in rules.doers.items() if doer == called)
        return [question[: found.start("is")] + verb + question[found.end("is") :] for verb in done]
    if found := rules.did.match(question):
        did = found["did"].lower()
        participle, doer = rules.participles.get(did), rules.doers.get(did)
        said = [rules.has_done.format(participle=participle)] if participle else []
        said += [rules.is_doer.format(doer=doer)] if doer else []
        return [question[: found.start("did")] + one + question[found.end("did") :] for one in said]
    return []


def turn_voice(question: str, lexicon: Lexicon) -> list[str]:
    """Return a question for what a thing did as one for what was done to it, if a book may say so.

    "When did the network start?" is told of when it was started, and the other way round.
    """
    for one in lexicon.expected.revoiced:
        if found := one.pattern.fullmatch(question):
            return [one.into.format(**found.groupdict())]
    return []


@cache
def _groups(language: str) -> Mapping[str, frozenset[str]]:
    return _by_term(load_lexicon(language).checks.support.synonyms)


@cache
def _loose_groups(language: str) -> Mapping[str, frozenset[str]]:
    return _by_term(load_lexicon(language).reworded)


def _by_term(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in groups:
        stems = frozenset(stem for word in group for stem in terms(word))
        for stem in stems:
            found[stem] = found.get(stem, frozenset()) | stems
    return found


def forms_of(word: str, lexicon: Lexicon) -> frozenset[str]:
    """Return a word with its forms that do not begin alike: "axes" for "axis", "gave" for "give"."""
    return frozenset((word,)).union(*(forms for forms in lexicon.inflected if word in forms))


def is_said(word: str, said: Collection[str], lexicon: Lexicon, language: str) -> bool:
    """Whether one of the words `said` is `word`, in another form or by another word for it."""
    if not _inflected(language).get(word, NO_WORDS).isdisjoint(said):
        return True
    return has_form_of(word, said, lexicon) or is_reworded(word, said, language)


def are_said(wanted: Iterable[str], text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether a text has each of the words, in another form or by another word for it."""
    said = words_in(text)
    return all(is_said(one, said, lexicon, language) for one in wanted)


def said_of(asked: Collection[str], text: str, lexicon: Lexicon, language: str) -> frozenset[str]:
    """Return those of the words `asked` that a text has, in another form or by another word."""
    said = words_in(text)
    return frozenset(word for word in asked if is_said(word, said, lexicon, language))


@cache
def _inflected(language: str) -> Mapping[str, frozenset[str]]:
    """Return the forms of each form of a verb or noun of which they do not begin alike."""
    found: dict[str, frozenset[str]] = {}
    for forms in load_lexicon(language).inflected:
        for form in forms:
            found[form] = found.get(form, frozenset()) | forms
    return found
