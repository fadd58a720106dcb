// The least that a device can do: it replies with the time.
process.on('message', ({ id }: { id: number }) => process.send?.({ id, value: { at: Date.now() } }));
process.on('disconnect', () => process.exit(0));
