"""The turn of a session that is stored by the statement of its audit row: both are kept, or neither."""

import json
from functools import lru_cache
from typing import Any

from libs.storable import storable
from services.generation.records.model import AuditRow

# The last 50 messages are kept. Who comes second to a session waits for the first, and adds to what
# that has left; a row that stands already adds nothing.
_TURN = """
WITH kept AS (<insert>), turn AS (
    UPDATE sessions
    SET updated_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 minutes',
        messages = jsonb_path_query_array(sessions.messages || (
            SELECT jsonb_agg(
                item || jsonb_build_object('timestamp', clock_timestamp()) ORDER BY place
            )
            FROM jsonb_array_elements(<messages>::jsonb) WITH ORDINALITY AS each(item, place)
        ), '$[last - 49 to last]')
    FROM kept WHERE session_id = <session>
)
SELECT stored FROM kept
"""


def session_turn(row: AuditRow) -> tuple[Any, ...]:
    """Return the session of an answer and the messages to add to it; nothing where there is none."""
    answer, session_id = row.answer, row.question.session_id
    if answer is None or session_id is None:
        return ()
    said = answer.refusal.message if answer.refusal else answer.text
    asked = {"role": "user", "content": row.question.text}
    answered = {
        "role": "assistant",
        "content": said,
        "answer_id": str(answer.answer_id),
        "citations": [citation.chunk_id for citation in answer.citations],
    }
    return session_id, json.dumps(storable([asked, answered]), ensure_ascii=False)


@lru_cache
def add_turn(insert: str, values: int) -> str:
    """Return the statement that stores a row by `insert`, of `values` values, and its turn."""
    filled = _TURN.replace("<insert>", insert)
    return filled.replace("<session>", f"${values + 1}").replace("<messages>", f"${values + 2}")
