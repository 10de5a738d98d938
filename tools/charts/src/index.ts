export { HELM_VERSION, locateHelm, Helm, type HelmResult } from './helm.js';
