import type { EventResponse, ResponseRoute, SecurityEvent } from '@interlock/api';
import { truncate } from '@interlock/base';
import { parameterOf } from '../change/parse.js';
import { templateData, type TemplateFacts } from '../template/context.js';
import { renderMarkdown, renderTitle } from '../template/render.js';
import { branchOf } from './branch.js';
import { defaultBody, defaultMessage } from './default-template.js';
import { eventNameOf, markerOf, trailersOf, uidOf } from './identity.js';
import { inertMarkdown, inertMessage, withoutTrailer } from './inert.js';

/** The inputs of a proposal. */
export interface ProposalFacts {
  route: ResponseRoute;
  /** The index of the route, from 0. */
  index: number;
  /** Absent if the response does not refer to an event, or if the event does not exist. */
  event?: SecurityEvent | undefined;
  response: EventResponse;
  plan: TemplateFacts['change'];
  cluster: TemplateFacts['cluster'];
  /** The gate of the route, if it has one. */
  gate?: TemplateFacts['gate'];
}

/** A pull request to open. */
export interface Proposal {
  title: string;
  /** Markdown; ends with the marker of the response, and is shorter than the 65,536 characters of GitHub. */
  body: string;
  branch: string;
  base: string;
  /** Title, body, and the trailers of the response and of its operations. */
  commitMessage: string;
  labels: string[];
  reviewers: string[];
  draft: boolean;
}

/**
 * Renders the pull request of a response. Pure.
 *
 * The templates of the route take precedence over the parameters of the response (`prTitle`, `prBody`, `commitTitle`,
 * `commitBody`), and the parameters over the defaults: the owner of the repository decides the form of its pull
 * requests, while the parameters come from a detection and may repeat text of an attacker. A template can include them:
 * `{{ index .response.action.parameters "prBody" }}`. Empty texts count as absent.
 * - title: titleTemplate, prTitle, title of the commit
 * - body: prTemplate, prBody, commitBody, a default text
 * - message of the commit: commitTitle and commitBody, else `ugallu: respond to <event name>` and a sentence
 *
 * Parameters are not templates, and are shown as plain text.
 * @throws TypedError `Invalid`: `TemplateInvalid`, `BranchInvalid`, `UIDInvalid`.
 */
export function renderProposal(facts: ProposalFacts): Proposal {
  const { route, response, event } = facts;
  const { parameters = {} } = response.spec.action;
  const { baseBranch } = route.provider;
  const given = (name: string) => parameterOf(parameters, name) ?? '';
  const data = templateData({ ...facts, event, change: facts.plan, route: routeFacts(facts) });
  const commitTitle = withoutTrailer(
    lineOf(given('commitTitle')) || lineOf(`ugallu: respond to ${eventNameOf(response)}`),
  );
  const commitBody = inertMessage(given('commitBody')) || withoutTrailer(renderTitle(defaultMessage, data));
  const titled = route.titleTemplate === undefined ? '' : renderTitle(route.titleTemplate, data);
  const body =
    (route.prTemplate === undefined ? '' : renderMarkdown(route.prTemplate, data).trim()) ||
    inertMarkdown(given('prBody')) ||
    inertMarkdown(given('commitBody')) ||
    renderMarkdown(defaultBody, data).trim();
  const uid = uidOf(response);
  return {
    title: titled || lineOf(given('prTitle')) || commitTitle,
    body: `${gateNotice(facts.gate)}${body}\n\n${markerOf(uid)}`,
    branch: branchOf(response, baseBranch),
    base: baseBranch,
    commitMessage: [commitTitle, commitBody, trailersOf(uid, facts.plan.digest)]
      .filter((part) => part !== '')
      .join('\n\n'),
    labels: [...(route.labels ?? [])],
    reviewers: [...(route.reviewers ?? [])],
    draft: route.draft ?? false,
  };
}

function routeFacts({ route, index }: ProposalFacts): TemplateFacts['route'] {
  const { kind, repository, baseBranch } = route.provider;
  return { index, provider: kind, repository, baseBranch };
}

function lineOf(text: string): string {
  return renderTitle('{{ . }}', text);
}

/* It is longer when escaped, and has to fit in addition to the longest text. */
const maxReason = 256;

/** Returns the notice of `onGateClosed: Proceed`, which is independent of the template of the route. */
function gateNotice(gate: ProposalFacts['gate']): string {
  if (gate === undefined || gate.open) return '';
  const { namespace, name } = gate;
  const reason = truncate(gate.reason, maxReason);
  const text = '> **The gate `{{ .namespace }}/{{ .name }}` is closed:** {{ .reason }}';
  return `${renderMarkdown(text, { namespace, name, reason })}\n\n`;
}
