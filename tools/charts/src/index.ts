export { fleetManifests, releaseNamespace, responderConfigNamespace, type FleetManifests } from './fleet.js';
export { gatewayManifests, gatewayTenant, type GatewayManifests } from './gateway.js';
export { helmVersion as HELM_VERSION, locateHelm, Helm, type HelmResult } from './helm.js';
export { parseManifests, type Manifest } from './manifest.js';
export { appCharts, renderCharts, type AppChart } from './render.js';
