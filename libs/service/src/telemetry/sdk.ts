/* A file of its own, so that bundlers put the SDK into a chunk of its own, loaded only when it is needed. */
export { NodeSDK, resources } from '@opentelemetry/sdk-node';
