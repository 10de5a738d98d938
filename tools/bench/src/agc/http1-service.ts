import type { Socket } from 'node:net';
import type { AnsweringService, ServiceAnswer } from './answering-service.js';

const endOfHead = '\r\n\r\n';

/** Serves HTTP/1.1 on a connection of a known client, without the checks and the objects of a Node.js server. */
export function serveHttp1(socket: Socket, service: AnsweringService): void {
  let pending = '';
  const respond = (answer: ServiceAnswer): void => void socket.write(textOf(answer));
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    pending += bytes.toString('latin1');
    for (;;) {
      const end = pending.indexOf(endOfHead);
      if (end < 0) return;
      const head = pending.slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const bodyAt = end + endOfHead.length;
      if (pending.length < bodyAt + length) return;
      const [method = '', path = ''] = head.slice(0, head.indexOf('\r\n')).split(' ');
      const body = pending.slice(bodyAt, bodyAt + length);
      pending = pending.slice(bodyAt + length);
      service.handle({ method, path, body }, respond);
    }
  });
}

function textOf({ status, body }: ServiceAnswer): string {
  if (status === 204) return 'HTTP/1.1 204 No Content\r\n\r\n';
  return `HTTP/1.1 ${status} Status\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
