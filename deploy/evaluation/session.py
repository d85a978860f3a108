"""What every benchmark has in hand: the product, the profile, the seed, the progress shown."""

from dataclasses import dataclass, field

from deploy.evaluation.product import Product
from deploy.evaluation.progress import Progress


@dataclass(frozen=True)
class Session:
    """One run on one running product. `concurrency` is how many requests are under way at once."""

    product: Product
    profile: str = ""
    seed: int = 0
    concurrency: int = 1
    progress: Progress = field(default_factory=Progress)
