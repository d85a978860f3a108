"""What stands below a sibling's joined name does not answer what is asked of another."""

from tests.support.leads import lead_places_of

ENTRIES = (
    *("pre-load", "Executed before the files are loaded."),
    *("pre-save", "Executed before the files are saved."),
)
UPGRADES = (
    *("dist-upgrade", "It installs new packages, too."),
    *("upgrade", "It installs no new package."),
)


def test_the_entry_of_the_joined_name_leads() -> None:
    led = lead_places_of("What does the pre-load hook do?", ENTRIES, (0.5, 0.5, 0.9, 0.9))
    assert "loaded" in led[-1]


def test_a_joined_name_that_has_no_entry_is_not_answered_by_a_sibling() -> None:
    assert not lead_places_of("What does the pre-delete hook do?", ENTRIES, (0.5, 0.5, 0.9, 0.9))


def test_the_entry_of_the_bare_name_leads_before_that_of_a_longer_one() -> None:
    led = lead_places_of("What does upgrade do?", UPGRADES, (0.9, 0.9, 0.3, 0.3))
    assert "no new package" in led[-1]
