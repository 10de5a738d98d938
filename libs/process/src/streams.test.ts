import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ProcessInput, ProcessOutput } from './streams.js';

const server = createServer();
let program: Socket;
/** The end of the socket in this process. */
let socket: Socket;

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  program = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [socket] = (await once(server, 'connection')) as [Socket];
});
afterEach(async () => {
  program.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('ends an output whose socket has ended before it is attached', async () => {
  program.end();
  socket.resume();
  await once(socket, 'end');
  const output = new ProcessOutput().resume();
  const ended = once(output, 'end');
  (output as ProcessOutput).attach(socket);
  await ended;
});

test('keeps output that arrives before it is read', async () => {
  const output = new ProcessOutput();
  output.attach(socket);
  program.end('text');
  await once(program, 'finish');
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('text');
});

test('passes input that was written before the socket is attached, and the end of the input', async () => {
  const input = new ProcessInput();
  input.end('text');
  input.attach(socket);
  const [chunk] = await once(program, 'data');
  expect(String(chunk)).toBe('text');
  await once(program, 'end');
});

test('closes an input whose socket is closed before it is attached', async () => {
  const input = new ProcessInput();
  const closed = once(input, 'close');
  socket.destroy();
  input.attach(socket);
  await closed;
  expect(input.destroyed).toBe(true);
});
