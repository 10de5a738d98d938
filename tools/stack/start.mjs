import { appsOfScenario, runTool } from '../bundle/run.mjs';

await runTool('stack', appsOfScenario(process.argv.slice(2)));
