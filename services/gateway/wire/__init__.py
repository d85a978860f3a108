"""Messages of the other services on one side, the gateway's own structs on the other."""
