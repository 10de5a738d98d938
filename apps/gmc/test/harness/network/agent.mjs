/* Runs inside a network namespace: each request and each answer is a line of JSON. It ends with its standard input. */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Timeout of an answer. The rules of this network reject packets and never drop them. */
const timeoutMs = 10_000;
const greeting = 'ping';

/** The servers by protocol. Each is an echo server. */
const servers = {
  async TCP({ port }) {
    await listening(createServer((socket) => void quiet(socket).pipe(socket)).listen(port, '::'));
  },
  /* A socket on all addresses could answer from another address than the requested one. */
  async UDP({ port, addresses }) {
    for (const host of addresses) {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      socket.on('message', (message, { address, port: from }) => void socket.send(message, from, address));
      await listening(socket.bind(port, host));
    }
  },
};

const clients = {
  TCP: ({ host, port }) => talk(quiet(connect({ host, port })), 'data', (socket) => socket.write(greeting)),
  UDP({ host, port }) {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.connect(port, host, () => socket.send(greeting));
    return talk(socket, 'message', () => undefined);
  },
};

const operations = {
  listen: ({ protocol, ...at }) => servers[protocol](at),
  /** Relays each connection to a port to another address. */
  async relay({ port, host, to }) {
    const server = createServer((socket) => {
      const target = quiet(connect({ host, port: to }));
      quiet(socket).pipe(target).pipe(socket);
    });
    await listening(server.listen(port, '::'));
  },
  /** Returns `open` if the server answers, otherwise the code of the error. */
  reach: ({ protocol, ...to }) => clients[protocol](to),
  run: ({ command: [program, ...args], input = '' }) =>
    new Promise((resolve, reject) => {
      const child = execFile(program, args, { timeout: timeoutMs }, (error, _stdout, stderr) => {
        if (error) reject(new Error(`${program} ${args.join(' ')}: ${stderr || error.message}`));
        else resolve(undefined);
      });
      /* A program that does not read its input may already have ended. */
      child.stdin.on('error', () => undefined).end(input);
    }),
};

function quiet(socket) {
  return socket.on('error', () => socket.destroy());
}

async function listening(server) {
  await once(server, 'listening');
}

function talk(socket, answered, greet) {
  return new Promise((resolve) => {
    const end = (result) => {
      clearTimeout(timer);
      resolve(result);
      if ('destroy' in socket) socket.destroy();
      else socket.close();
    };
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    socket.once(answered, () => end('open'));
    socket.once('error', ({ code }) => end(code));
    if ('destroy' in socket) socket.once('close', () => end('closed'));
    greet(socket);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, operation, ...request } = JSON.parse(line);
  const answer = (content) => process.stdout.write(`${JSON.stringify({ id, ...content })}\n`);
  operations[operation](request).then(
    (result) => answer({ result }),
    (error) => answer({ error: error.message }),
  );
}
process.exit(0);
