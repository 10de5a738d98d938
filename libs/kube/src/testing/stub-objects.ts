import type { ServerResponse } from 'node:http';
import { sendJson, StubApi } from './stub-api.js';

interface StubObject {
  metadata: { name: string; namespace?: string; resourceVersion?: string; uid?: string };
}

/** A stub API with one collection, whose watch events a test sends by hand. */
export class StubObjects {
  readonly watches: { query: URLSearchParams; accept: string | undefined; response: ServerResponse }[] = [];
  readonly lists: { path: string; query: URLSearchParams; accept: string | undefined }[] = [];

  private constructor(readonly api: StubApi) {}

  /**
   * Creates a stub with one collection.
   *
   * @param items the items of each list, at resourceVersion `resourceVersion()`
   */
  static async start(items: () => readonly StubObject[], resourceVersion = () => '10'): Promise<StubObjects> {
    const api = await StubApi.start((request, response) => {
      const { path, query } = request;
      const { accept } = request.headers;
      if (query.has('watch')) {
        stub.watches.push({ query, accept, response });
        response.writeHead(200).flushHeaders();
        return;
      }
      stub.lists.push({ path, query, accept });
      sendJson(response, 200, { metadata: { resourceVersion: resourceVersion() }, items: items() });
    });
    const stub = new StubObjects(api);
    return stub;
  }

  /** Sends an event to every open watch. */
  send(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: object): void {
    for (const { response } of this.watches) response.write(`${JSON.stringify({ type, object })}\n`);
  }
}
