/* Replaces the modules that no program reaches: see slim.mjs. */

function leftOut() {
  throw new Error('tools/bundle/slim.mjs left this function out of the bundle');
}

export {
  leftOut as createConfiguration,
  leftOut as default,
  leftOut as Headers,
  leftOut as HttpProxyAgent,
  leftOut as HttpsProxyAgent,
  leftOut as satisfies,
  leftOut as ServerConfiguration,
  leftOut as SocksProxyAgent,
};
