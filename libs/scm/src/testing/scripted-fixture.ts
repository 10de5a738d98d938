import { FakeClock } from '@interlock/base/testing';
import { expect } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusScmMetrics } from '../metrics.js';
import { createScmRegistry, type ScmRegistry } from '../registry.js';
import type { Scm, ScmPlugin, ScmRepository } from '../scm.js';
import { ScriptedServer, type ScriptedAnswer, type SeenRequest } from './scripted-server.js';
import { useClosing } from './use-closing.js';

export type Script = (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A plugin with a server that sends scripted responses. */
export interface ScriptedFixture {
  server: ScriptedServer;
  clock: FakeClock;
  metrics: Registry;
  registry: ScmRegistry;
  scm: Scm;
  repository: ScmRepository;
  close(): Promise<void>;
}

interface ScriptedOptions {
  /**
   * Returns a new plugin. A shared plugin would know the answers of a server that an earlier test used on the same
   * port.
   */
  plugin: () => ScmPlugin;
  /** Fields of the provider besides the domain. */
  provider?: Record<string, unknown>;
  /** Fields of the repository. */
  repository: Record<string, unknown>;
  secret: Record<string, string>;
  timeoutMs?: number;
}

/** Connects the account `acme` and the repository `web` of the namespace `team`. */
export async function openScriptedFixture(
  answer: Script,
  options: ScriptedOptions,
): Promise<ScriptedFixture> {
  const { provider = {}, repository, secret, plugin: createPlugin, ...registryOptions } = options;
  const plugin = createPlugin();
  const server = await ScriptedServer.start(answer);
  const clock = new FakeClock();
  const metrics = new Registry();
  const registry = createScmRegistry({
    plugins: [plugin],
    clock,
    random: () => 0.5,
    metrics: prometheusScmMetrics(metrics),
    ...registryOptions,
  });
  const account = {
    kind: 'ScmProvider',
    metadata: { name: 'acme', namespace: 'team' },
    spec: { [plugin.name]: { domain: server.url, ...provider } },
  };
  const resource = {
    metadata: { name: 'web', namespace: 'team' },
    spec: { [plugin.name]: repository },
  };
  return {
    server,
    clock,
    metrics,
    registry,
    scm: registry.connect(account, secret),
    repository: registry.repository(account, secret, resource),
    async close() {
      await registry.close();
      await server.close();
    },
  };
}

/** Connects a plugin to a server with that script. */
type Connect = (answer: Script, setup?: Partial<ScriptedOptions>) => Promise<ScriptedFixture>;

/** Returns a function that connects a plugin to a scripted server; both are closed after the test. */
export function useScriptedFixtures(defaults: ScriptedOptions): Connect {
  const closing = useClosing();
  return async (answer, setup = {}) => closing(await openScriptedFixture(answer, { ...defaults, ...setup }));
}

/** Expects that a call to a server that does not respond ends with the reason of its signal. */
export async function expectEndWithSignal(connect: Connect): Promise<void> {
  const abort = new AbortController();
  const { repository } = await connect(() => {
    abort.abort(new Error('stop'));
    return { hang: true };
  });
  await expect(repository.describe({ signal: abort.signal })).rejects.toThrow('stop');
}
