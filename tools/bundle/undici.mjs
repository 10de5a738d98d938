/* The part of undici that the apps and tools use. Its own index is one CommonJS module, which runs all of undici: mocks,
   caches, cookies, WebSockets. Each import here is of one module, so that a bundle has only those that it needs. */
import api from 'undici/lib/api/index.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import { getGlobalDispatcher } from 'undici/lib/global.js';

export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
export { fetch } from 'undici/lib/web/fetch/index.js';
export { Response } from 'undici/lib/web/fetch/response.js';
export { WebSocket } from 'undici/lib/web/websocket/websocket.js';
export { Dispatcher };

/* As in the index: every dispatcher has `request`, `stream` and so on. */
Object.assign(Dispatcher.prototype, api);

/** Sends a request with the dispatcher of the options, or the global one. */
export function request(url, { dispatcher = getGlobalDispatcher(), ...options } = {}) {
  const { origin, pathname, search } = new URL(url);
  const method = options.method ?? (options.body ? 'PUT' : 'GET');
  return dispatcher.request({ ...options, origin, path: `${pathname}${search}`, method });
}
