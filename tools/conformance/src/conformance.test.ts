import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { groups } from './groups/index.js';
import { caseTimeoutMs, Run } from './suite/run.js';
import { openEmbedded, type OpenServer } from './suite/server.js';
import { connect, type Target } from './suite/target.js';

describe('The embedded server', () => {
  let server: OpenServer;
  let target: Target;
  let run: Run;

  beforeAll(async () => {
    server = await openEmbedded();
    target = await connect({ ...server, webhookHost: 'localhost' });
    run = new Run(target);
  });
  afterAll(async () => {
    await run.close();
    await target.close();
    await server.close();
  });

  describe.each(groups)('$name', (group) => {
    it.each([...group.cases])('$name', (one) => run.runCase(group, one), caseTimeoutMs + 30_000);
  });
});
