import { runTool } from '../bundle/run.mjs';

await runTool('bench', ['promoter', 'gate-controller', 'devcluster', 'egress-proxy', 'agc', 'gmc']);
