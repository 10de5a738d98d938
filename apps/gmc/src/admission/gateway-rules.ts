import type { ActionsGateway } from '@interlock/api';
import type { FieldProblem } from '@interlock/base';
import { encodeAttributes } from '../render/tracing.js';
import { groupProblems } from './group-rules.js';
import { isHostName } from './host-name.js';
import { noProxyProblems } from './no-proxy-rules.js';
import { downgradeAnnotation, privilegedProfileLabel, type TenantPolicy } from './policy.js';

/** What the rules of an ActionsGateway check in addition to the object itself. */
export interface GatewayNeighbourhood {
  policy: TenantPolicy;
  /** Labels of its namespace. */
  namespaceLabels: Readonly<Record<string, string>>;
  /** Names of the other gateways of its namespace. */
  others: readonly string[];
}

const strictness = { privileged: 0, baseline: 1, restricted: 2 } as const;

/** Returns the problems with an ActionsGateway that is created, or that replaces `old`. Pure. */
export function gatewayProblems(
  gateway: ActionsGateway,
  old: ActionsGateway | undefined,
  neighbourhood: GatewayNeighbourhood,
): FieldProblem[] {
  const { policy } = neighbourhood;
  const { spec } = gateway;
  const url = githubUrlOf(spec.gitHubURL);
  return [
    ...placeProblems(gateway, neighbourhood),
    ...credentialProblems(gateway, policy),
    ...(typeof url === 'string' ? [{ field: 'spec.gitHubURL', value: spec.gitHubURL, message: url }] : []),
    ...profileProblems(gateway, old, neighbourhood),
    ...noProxyProblems(
      spec.proxy.noProxyCIDRs,
      typeof url === 'string' ? undefined : url.hostname,
      'spec.proxy.noProxyCIDRs',
    ),
    ...tracingProblems(spec.tracing?.endpoint),
    ...attributeProblems(spec.tracing?.resourceAttributes),
    ...(spec.runnerGroups ?? []).flatMap((group, index) => [
      ...nameProblems(group.name, `spec.runnerGroups[${index}].name`),
      ...groupProblems(group, `spec.runnerGroups[${index}]`, spec.securityProfile, policy),
    ]),
  ];
}

/** Returns warnings about settings that are valid but probably not intended. */
export function gatewayWarnings({ spec }: ActionsGateway): string[] {
  const { requests, limits } = spec.proxy.resources ?? {};
  /* The API server copies limits to missing requests. Without any resources, the gmc sets its own. */
  const cpu = requests?.['cpu'] ?? limits?.['cpu'];
  if (cpu !== undefined || (requests === undefined && limits === undefined)) return [];
  return [
    'spec.proxy.resources does not request cpu, so the number of proxy pods is not adapted to their load; set requests.cpu',
  ];
}

/** Returns the problem with the name of a group that its RunnerGroup, whose name ends with it, cannot have (RFC 1123 subdomain). */
function nameProblems(name: string, field: string): FieldProblem[] {
  if (!/\.\.|\.-|-\./.test(name)) return [];
  const message =
    'a RunnerGroup is named <name of the gateway>-<name of the group>, in which a letter or a digit must precede and follow each dot; choose another name';
  return [{ field, value: name, message }];
}

function placeProblems(
  { metadata: { namespace = '', name } }: ActionsGateway,
  { policy, others }: GatewayNeighbourhood,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (policy.reservedNamespaces.includes(namespace)) {
    problems.push({
      field: 'metadata.namespace',
      value: namespace,
      message: `namespace ${namespace} is reserved: create the gateway in a namespace of its tenant`,
    });
  }
  const [other] = others.filter((one) => one !== name);
  if (other !== undefined) {
    problems.push({
      field: 'metadata.namespace',
      value: namespace,
      message: `namespace ${namespace} already has the gateway ${other}, and only one is allowed: change that gateway, or use another namespace`,
    });
  }
  return problems;
}

function credentialProblems(
  { metadata, spec: { gitHubAppRef } }: ActionsGateway,
  { credentialNamespaces }: TenantPolicy,
): FieldProblem[] {
  const { namespace } = gitHubAppRef;
  if (namespace === undefined || namespace === metadata.namespace) return [];
  if (credentialNamespaces.includes(namespace)) return [];
  return [
    {
      field: 'spec.gitHubAppRef.namespace',
      value: namespace,
      message: `Secrets of namespace ${namespace} cannot be used by this gateway: create the Secret in ${metadata.namespace ?? ''}, or ask the platform team to add ${namespace} to --credential-namespaces`,
    },
  ];
}

/** Parses the URL of an organization, repository or enterprise. Returns a message if the text is not valid. */
function githubUrlOf(text: string): URL | string {
  const example = 'write it as https://github.com/my-org';
  if (!URL.canParse(text)) return `gitHubURL must be a URL; ${example}`;
  const url = new URL(text);
  if (url.protocol !== 'https:') return `gitHubURL must begin with https://; ${example}`;
  if (url.username !== '' || url.password !== '') {
    return `gitHubURL must not contain a credential; reference a Secret in gitHubAppRef, and ${example}`;
  }
  if (url.search !== '' || url.hash !== '')
    return `gitHubURL must not have a query or a fragment; ${example}`;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  if (segments.length < 1)
    return `gitHubURL must name an organization, a repository or an enterprise; ${example}`;
  if (segments.length > 2)
    return `gitHubURL must have one or two segments in its path; ${example} or https://github.com/my-org/my-repo`;
  const [, host = '', path = ''] = /^https:\/\/([^/]*)(.*)$/.exec(text) ?? [];
  if (!hostAndPort.test(host) || !plainPath.test(path))
    return `gitHubURL must contain only letters, digits, "-", "_" and "." in its host and in its path; ${example}`;
  if (!isHostName(url.hostname) || url.port === '0')
    return `gitHubURL must have a valid host name, and a port from 1 to 65535 if it has one; ${example}`;
  return url;
}

/* Other characters that a URL may contain would get into variables of pods, where commas separate the entries of lists. */
const hostAndPort = /^[\w-]+(\.[\w-]+)*(:\d+)?$/;
const plainPath = /^[A-Za-z0-9._/-]*$/;

function tracingProblems(endpoint: string | undefined): FieldProblem[] {
  if (endpoint === undefined || endpoint === '') return [];
  const example = 'write it as https://otel-collector.observability:4317';
  const problem = (message: string): FieldProblem[] => [
    /* Neither the answer nor a log may contain the password. */
    { field: 'spec.tracing.endpoint', value: endpoint.replace(/\/\/[^/?#]*@/, '//***@'), message },
  ];
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (/^https?:\/\/[^/?#]*@/.test(endpoint) || url?.username || url?.password)
    return problem(
      `endpoint must not contain a user or a password, which would be visible in the Deployment; authenticate the collector by its network or by TLS, and ${example}`,
    );
  return url === undefined || url.port === '0'
    ? problem(`endpoint must be a URL with a host, and a port from 1 to 65535 if it has one; ${example}`)
    : [];
}

/* The OpenTelemetry SDK discards all attributes without an error if one of them is longer, or has no name. */
const longestAttribute = 255;
/* Linux does not start a program with a variable of 128 KiB or more, including its name. */
const longestEncoded = 128_000;

function attributeProblems(attributes: Readonly<Record<string, string>> = {}): FieldProblem[] {
  const field = 'spec.tracing.resourceAttributes';
  const wrong = Object.entries(attributes).find(
    ([key, value]) => key.trim() === '' || value.length > longestAttribute,
  );
  if (wrong === undefined) {
    const { length } = encodeAttributes(attributes);
    if (length <= longestEncoded) return [];
    const message = `resourceAttributes have ${length} bytes when they are percent-encoded, in which a character takes up to 12 bytes; shorten them to ${longestEncoded} bytes`;
    return [{ field, message }];
  }
  const message = `resourceAttributes must have names that are not empty, and values of at most ${longestAttribute} characters; correct the attribute ${JSON.stringify(wrong[0])}`;
  return [{ field, message }];
}

function profileProblems(
  { metadata, spec: { securityProfile } }: ActionsGateway,
  old: ActionsGateway | undefined,
  { namespaceLabels }: GatewayNeighbourhood,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { key, value } = privilegedProfileLabel;
  if (securityProfile === 'privileged' && namespaceLabels[key] !== value) {
    problems.push({
      field: 'spec.securityProfile',
      value: securityProfile,
      message: `securityProfile privileged needs the label ${key}: ${value} on the namespace; ask the platform team for it`,
    });
  }
  const before = old?.spec.securityProfile ?? securityProfile;
  const isWeaker = strictness[securityProfile] < strictness[before];
  if (isWeaker && metadata.annotations?.[downgradeAnnotation] !== 'true') {
    problems.push({
      field: 'spec.securityProfile',
      value: securityProfile,
      message: `securityProfile ${securityProfile} is weaker than ${before}: if that is intended, add the annotation ${downgradeAnnotation}: "true"`,
    });
  }
  return problems;
}
