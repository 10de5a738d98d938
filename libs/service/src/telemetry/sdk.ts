/* A separate file, so that bundlers put the SDK into a separate chunk, which is loaded only when it is needed. */
export { NodeSDK, resources } from '@opentelemetry/sdk-node';
