"""What the gateway uses outside of itself and of the other services."""
