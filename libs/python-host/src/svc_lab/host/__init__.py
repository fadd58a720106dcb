"""The hosts of author code: what runs in the processes of devices and tasks."""
