/* An entry point of its own, because it loads no server, metrics or telemetry: small programs need only this part. */
export * from './define.js';
export { parseFlags } from './parse.js';
export { addressFlag, type BindAddress } from '../http/address.js';
