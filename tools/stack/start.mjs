import { apps, runTool } from '../bundle/run.mjs';

await runTool('stack', apps);
