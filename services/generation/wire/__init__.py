"""The messages of our own contract on one side, our own structs on the other."""
