/** A process with an instrument: answers every line on a TCP port with a number, at once. */
import { createServer, type AddressInfo } from 'node:net';

const answer = Buffer.from('+1.234500E+00\n');
const identity = Buffer.from('ACME,BENCH,0,1.0\n');
const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let rest = '';
  socket.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) socket.write(line === '*IDN?' ? identity : answer);
  });
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
