"""One deadline for a request, and what each stage may take of it."""

from libs.budget.budget import Budget, Outcome, StageTiming, current_budget

__all__ = ["Budget", "Outcome", "StageTiming", "current_budget"]
