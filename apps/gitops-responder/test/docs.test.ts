import { readFileSync } from 'node:fs';
import {
  customKinds,
  EventResponse,
  GitOpsResponderConfig,
  SecurityEvent,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { Secret } from '@interlock/kube';
import {
  compileRoutes,
  configProblems,
  parseOperations,
  planChange,
  renderMarkdown,
  renderTitle,
  route,
  routesOf,
  templateData,
  type TemplateFacts,
} from '@interlock/responding';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { Fixture } from './harness/fixture.js';

const page = readFileSync(new URL('../../../docs/gitops-responder.md', import.meta.url), 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');

type Manifest = KubeObject & { spec?: object };

/* Documents without a kind are values of the chart. */
const manifests = blocks('yaml')
  .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
  .filter(({ kind }) => kind !== undefined);

/** Returns the manifests of a kind, in the order of the page. */
function all<T extends KubeObject>({ kind }: Kind<T>): T[] {
  return manifests.filter((manifest) => manifest.kind === kind) as T[];
}

const configs = all(GitOpsResponderConfig);
const [event] = all(SecurityEvent);
const [response] = all(EventResponse);
if (event === undefined || response === undefined) throw new Error('the page has no example');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

describe('the manifests of docs/gitops-responder.md', () => {
  it('show each kind, and no other', () => {
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set(['Secret', 'GitOpsResponderConfig', 'SecurityEvent', 'EventResponse']),
    );
    expect(configs).toHaveLength(4);
  });

  it.each(manifests.map((manifest, index) => [manifest.kind ?? '', index, manifest] as const))(
    'include a valid %s: manifest %i',
    async (kindName, _index, manifest) => {
      const kind = [Secret, ...customKinds].find(({ kind }) => kind === kindName) as Kind<Manifest>;
      const { group, version, plural } = kind;
      const { namespace } = manifest.metadata;
      const created = await fixture.platform.client.raw<Manifest>({
        method: 'POST',
        /* Strict validation, as in kubectl: an unknown field is an error. */
        path: `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}?dryRun=All&fieldValidation=Strict`,
        body: manifest,
      });
      expect(created).toMatchObject(manifest.spec === undefined ? {} : { spec: manifest.spec });
    },
  );

  it.each(configs.map(({ spec }, index) => [index, spec] as const))(
    'include a configuration without problems: configuration %i',
    (_index, spec) => {
      expect(configProblems(spec)).toEqual([]);
    },
  );
});

const [paged, long, codeSide, converted] = configs.map(({ spec }) => routesOf(spec).routes);

const facts = (repository: string): TemplateFacts => ({
  event,
  response,
  cluster: { id: 'c-1', name: 'prod-eu' },
  route: { index: 0, provider: 'github-app', repository, baseBranch: 'main' },
  change: {
    files: [{ path: 'rbac/bindings.yaml', change: 'modify' }],
    added: 0,
    removed: 6,
    digest: '0'.repeat(64),
  },
});

describe('the example of docs/gitops-responder.md', () => {
  it('takes the first route of the configuration', () => {
    const { taken } = route(compileRoutes(paged ?? []), { response, event });
    expect(taken?.route.provider).toMatchObject({
      kind: 'github-app',
      repository: 'ninsun-labs/ugallu-gitops',
    });
  });

  it('does not take a route for other events', () => {
    const { taken, results } = route(compileRoutes(long ?? []), { response, event });
    expect(taken?.route.provider.kind).toBe('noop');
    const failing = results[0]?.conditions.filter(({ holds }) => !holds).map(({ condition }) => condition);
    expect(failing).toEqual(['subjectNamespace', 'labels', 'expr']);
  });

  /** The file before and after the change. */
  const [before, after] = ['-', '+'].map((sign) => {
    const lines = (blocks('diff')[0] ?? '').trimEnd().split('\n');
    const own = lines.filter((line) => line.startsWith(' ') || line.startsWith(sign));
    return own.map((line) => `${line.slice(1)}\n`).join('');
  });
  const [shown = ''] = blocks('markdown');

  it('results in the change and the text that the page shows', () => {
    const plan = planChange(parseOperations(response.spec.action.parameters ?? {}), (path) =>
      path === 'rbac/bindings.yaml' ? { text: before ?? '' } : undefined,
    );
    expect(plan.files).toEqual([{ path: 'rbac/bindings.yaml', change: 'modify', content: after }]);
    expect(plan).toMatchObject({ added: 0, removed: 6 });
    const data = templateData(facts('ninsun-labs/ugallu-gitops'));
    expect(renderMarkdown(paged?.[0]?.prTemplate ?? '', data)).toBe(shown);
  });

  it('results in the pull request that the page shows, which is followed until it is merged', async () => {
    const { client } = fixture.platform;
    const target = await fixture.target({ 'rbac/bindings.yaml': before ?? '' });
    await fixture.configure({ routes: (paged ?? []).map((one) => ({ ...one, provider: target.provider })) });
    await client.create(SecurityEvent, event);
    await client.create(EventResponse, response);
    const { name } = response.metadata;
    const status = await fixture.statusIs(name, ({ phase }) => expect(phase).toBe('Succeeded'));
    const [pull, ...others] = await target.pulls();
    expect(others).toEqual([]);
    const { metadata } = await client.get(EventResponse, { name });
    const branch = `ugallu/temp-admin-granted/${(metadata.uid ?? '').slice(0, 8)}`;
    expect(pull).toMatchObject({ state: 'open', head: branch, base: 'main' });
    expect(pull?.body).toContain(shown);
    expect(status).toMatchObject({ stage: 'Submitted', changeRequest: { number: pull?.number } });
    expect(status.providerRef).toContain(target.fullName);
    const bindings = async (revision: string) =>
      (await target.file(revision, 'rbac/bindings.yaml'))?.trimEnd();
    expect(await bindings('main')).toBe(before?.trimEnd());
    expect(await bindings(branch)).toBe(after?.trimEnd());

    await target.user.merge(target.fullName, pull?.number ?? 0);
    await fixture.later(3_600_000);
    await fixture.statusIs(name, ({ stage }) => expect(stage).toBe('Merged'));
    expect(await bindings('main')).toBe(after?.trimEnd());
  });

  it('is counted by all documented metrics', async () => {
    const missed = await fixture.respond('unknown', { path: 'a', contents: 'b' });
    await fixture.statusIs(missed, ({ conditions = [] }) =>
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Routed', reason: 'NoRoute' })),
    );
    const names = [...page.matchAll(/^\| `(\w+_(?:total|seconds))` +\|/gm)].map(([, name = '']) => name);
    expect(names).toHaveLength(5);
    for (const name of names) {
      const metric = `ugallu_gitops_responder_${name}`;
      expect([metric, await fixture.responder.metric(metric)]).not.toEqual([metric, 0]);
    }
  });

  it('includes further templates that can be rendered', () => {
    const { titleTemplate = '', prTemplate = '' } = long?.[0] ?? {};
    const data = templateData(facts('platform/clusters/payments'));
    expect(renderTitle(titleTemplate, data)).toBe('ClusterAdminGranted: ClusterRoleBinding temp-admin');
    expect(renderMarkdown(prTemplate, data)).toBe(
      'ClusterAdminGranted (high) in prod-eu.\n\n- modify `rbac/bindings.yaml`\n',
    );
  });
});

describe('the reference of docs/gitops-responder.md', () => {
  it('shows every operation, and nothing that is refused', () => {
    const [changes = ''] = blocks('json');
    const shown = new Set(parseOperations({ changes }).map(({ op }) => op));
    const explained = [...page.matchAll(/^\| `((?:file|yaml|image)\.\w+)` +\|/gm)].map(([, op]) => op);
    expect([...shown]).toEqual(explained);
    expect(explained).toHaveLength(5);
  });

  it('shows two configurations that are the same', () => {
    expect(codeSide).toEqual(converted);
    expect(codeSide).toHaveLength(3);
  });

  it('names all existing conditions of routes', () => {
    const [, rows = ''] = /^\| `match` +\|.*?\n\|[ -]+\|[ -]+\|\n(.*?)\n\n/ms.exec(page) ?? [];
    const named = [...rows.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => name.replaceAll('`', '')),
    );
    const { match } = long?.[0] ?? {};
    const used = new Set([...Object.keys(match ?? {}), 'actionRef', 'eventType', 'subjectKind']);
    expect(new Set(named)).toEqual(used);
  });
});
