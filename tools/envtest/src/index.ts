export { assetsFromEnvironment, assetsVariable } from './assets.js';
export { startControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane.js';
export { removeDeletedNamespaces } from './namespaces.js';
