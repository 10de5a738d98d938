import { readFileSync } from 'node:fs';
import {
  customKinds,
  EventResponse,
  GitOpsResponderConfig,
  SecurityEvent,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { startDevCluster } from '@interlock/devcluster';
import { createClient, Secret, type Client } from '@interlock/kube';
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
import { ensureNamespace, installCustomResources } from '@interlock/stack';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';

const page = readFileSync(new URL('../../../docs/gitops-responder.md', import.meta.url), 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block ?? '');

type Manifest = KubeObject & { spec?: object };

/* What has no kind is values of the chart. */
const manifests = blocks('yaml')
  .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
  .filter(({ kind }) => kind !== undefined);

/** @returns the manifests of a kind, in the order of the page. */
function all<T extends KubeObject>({ kind }: Kind<T>): T[] {
  return manifests.filter((manifest) => manifest.kind === kind) as T[];
}

const configs = all(GitOpsResponderConfig);
const [event] = all(SecurityEvent);
const [response] = all(EventResponse);
if (event === undefined || response === undefined) throw new Error('the page has no example');

describe('the manifests of docs/gitops-responder.md', () => {
  let client: Client;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const cluster = await startDevCluster();
    const kubeConfig: unknown = parse(cluster.kubeconfig);
    client = createClient({
      kubeConfig: kubeConfig as object,
      userAgent: 'reader',
      defaultFieldManager: 'reader',
    });
    close = () => cluster.close();
    await installCustomResources(client);
    await ensureNamespace(client, 'ugallu-system');
  });
  afterAll(async () => {
    await client.close();
    await close();
  });

  it('show each kind, and no other', () => {
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set(['Secret', 'GitOpsResponderConfig', 'SecurityEvent', 'EventResponse']),
    );
    expect(configs).toHaveLength(4);
  });

  it.each(manifests.map((manifest, index) => [manifest.kind ?? '', index, manifest] as const))(
    '%s %s is accepted as it is written',
    async (kindName, _index, manifest) => {
      const kind = [Secret, ...customKinds].find(({ kind }) => kind === kindName) as Kind<Manifest>;
      const { group, version, plural } = kind;
      const { namespace } = manifest.metadata;
      const created = await client.raw<Manifest>({
        method: 'POST',
        /* As kubectl asks: a field that the kind does not have is an error. */
        path: `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}?dryRun=All&fieldValidation=Strict`,
        body: manifest,
      });
      expect(created).toMatchObject(manifest.spec === undefined ? {} : { spec: manifest.spec });
    },
  );

  it.each(configs.map(({ spec }, index) => [index, spec] as const))(
    'configuration %s has no problem',
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
  it('takes the route of the configuration', () => {
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

  it('changes what the page shows', () => {
    const lines = (blocks('diff')[0] ?? '').trimEnd().split('\n');
    const side = (sign: string): string =>
      lines
        .filter((line) => line.startsWith(' ') || line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const plan = planChange(parseOperations(response.spec.action.parameters ?? {}), (path) =>
      path === 'rbac/bindings.yaml' ? { text: side('-') } : undefined,
    );
    expect(plan.files).toEqual([{ path: 'rbac/bindings.yaml', change: 'modify', content: side('+') }]);
    expect(plan).toMatchObject({ added: 0, removed: 6 });
  });

  it('says what the page shows', () => {
    const template = paged?.[0]?.prTemplate ?? '';
    const [shown] = blocks('markdown');
    expect(renderMarkdown(template, templateData(facts('ninsun-labs/ugallu-gitops')))).toBe(shown);
  });

  it('has further templates that can be rendered', () => {
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
    const explained = [...page.matchAll(/^\| `((?:file|yaml|image)\.\w+)` \|/gm)].map(([, op]) => op);
    expect([...shown]).toEqual(explained);
    expect(explained).toHaveLength(5);
  });

  it('shows two configurations that are the same', () => {
    expect(codeSide).toEqual(converted);
    expect(codeSide).toHaveLength(3);
  });

  it('names conditions of routes that there are', () => {
    const [, rows = ''] = /^\| `match` \|.*?\n\|---\|---\|\n(.*?)\n\n/ms.exec(page) ?? [];
    const named = [...rows.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => name.replaceAll('`', '')),
    );
    const { match } = long?.[0] ?? {};
    const used = new Set([...Object.keys(match ?? {}), 'actionRef', 'eventType', 'subjectKind']);
    expect(new Set(named)).toEqual(used);
  });
});
