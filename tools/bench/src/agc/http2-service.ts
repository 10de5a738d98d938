import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { AnsweringService, ServiceAnswer } from './answering-service.js';

/** Serves HTTP/2. */
export function serveHttp2(server: Http2SecureServer, service: () => AnsweringService): void {
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const method = headers[':method'] ?? '';
    const path = headers[':path'] ?? '';
    const respond = (answer: ServiceAnswer): void => send(stream, answer);
    stream.on('error', () => undefined);
    if (method === 'GET' || method === 'DELETE') {
      service().handle({ method, path, body: '' }, respond);
      return;
    }
    let body = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => (body += text));
    stream.on('end', () => service().handle({ method, path, body }, respond));
  });
}

function send(stream: ServerHttp2Stream, { status, body }: ServiceAnswer): void {
  if (stream.destroyed) return;
  const head = { ':status': status, 'content-type': 'application/json; charset=utf-8' };
  if (body === '') stream.respond(head, { endStream: true });
  else {
    stream.respond(head);
    stream.end(body);
  }
}
