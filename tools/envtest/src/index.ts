export { assetsFromEnvironment } from './assets.js';
export { startControlPlane } from './control-plane.js';
export { removeDeletedNamespaces } from './namespaces.js';
