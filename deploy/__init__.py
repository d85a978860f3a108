"""How Quoth runs: the supervisor, the embedded engines, the operator's command, the manifests."""
