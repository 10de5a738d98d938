import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ProcessInput, ProcessOutput } from './streams.js';

const server = createServer();
let program: Socket;
/** The end of this process. */
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

test('an output that is at its end when it is connected ends', async () => {
  program.end();
  socket.resume();
  await once(socket, 'end');
  const output = new ProcessOutput().resume();
  const ended = once(output, 'end');
  (output as ProcessOutput).attach(socket);
  await ended;
});

test('an output keeps what comes before it is read', async () => {
  const output = new ProcessOutput();
  output.attach(socket);
  program.end('text');
  await once(program, 'finish');
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('text');
});

test('an input passes on what was written before it is connected, and its end', async () => {
  const input = new ProcessInput();
  input.end('text');
  input.attach(socket);
  const [chunk] = await once(program, 'data');
  expect(String(chunk)).toBe('text');
  await once(program, 'end');
});

test('an input whose reader is gone when it is connected is closed', async () => {
  const input = new ProcessInput();
  const closed = once(input, 'close');
  socket.destroy();
  input.attach(socket);
  await closed;
  expect(input.destroyed).toBe(true);
});
