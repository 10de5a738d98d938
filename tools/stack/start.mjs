import { runTool } from '../bundle/run.mjs';

await runTool('stack', ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder', 'cli']);
