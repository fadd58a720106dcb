// The barest device: answers with the time.
process.on('message', ({ id }) => process.send({ id, value: { at: Date.now() } }));
process.on('disconnect', () => process.exit(0));
