"""What both clients share. Nothing here sends or waits."""
