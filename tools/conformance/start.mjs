import { runTool } from '../bundle/run.mjs';

await runTool('conformance', []);
