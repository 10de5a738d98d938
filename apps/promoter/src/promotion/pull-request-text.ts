import { renderTemplate, shortSHA, type ProposedCommit, type TemplateData } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { noDrift, type EnvironmentFacts } from './model.js';
import { escapeMarkdown, escapeTitle } from './template.js';

export interface PullRequestText {
  title: string;
  description: string;
  labels: string[];
}

const defaultTitle = 'Promote {{ dry.shortSHA }} to {{ environment.branch }}';
const defaultDescription =
  'Promotes dry commit {{ dry.sha }} ({{ dry.subject }}) to {{ environment.branch }}, ' +
  'which runs {{ active.dry.shortSHA }} now.';
const maxTitle = 256;
/* Users write subjects and names, in any length. */
const maxText = 256;

/**
 * Returns the title, the description and the labels of the pull request of a proposed commit.
 * @throws TypedError `Invalid` for a template that does not render.
 */
export function pullRequestText(
  settings: ProposedCommit['spec']['pullRequest'],
  facts: EnvironmentFacts,
): PullRequestText {
  const data = templateData(facts);
  return {
    title: titleOf(settings?.titleTemplate ?? defaultTitle, data),
    description: renderTemplate(settings?.descriptionTemplate ?? defaultDescription, data, escapeMarkdown),
    labels: settings?.labels ?? [],
  };
}

/* A commit without a message has no subject, and a pull request needs a title. */
function titleOf(template: string, data: TemplateData): string {
  const title = renderTemplate(template, data, escapeTitle);
  return prefixOf(title.trim() === '' ? renderTemplate(defaultTitle, data, escapeTitle) : title, maxTitle);
}

/**
 * Renders templates without data, to find unknown names before there is a proposal.
 * @throws TypedError `Invalid` for a template that does not render.
 */
export function checkTemplates(settings: ProposedCommit['spec']['pullRequest']): void {
  pullRequestText(settings, {
    branch: '',
    proposedBranch: '',
    unchangedBy: [],
    contained: false,
    ...noDrift,
  });
}

function templateData({ branch, proposedBranch, active, proposed }: EnvironmentFacts): TemplateData {
  return {
    'environment.branch': branch,
    'environment.proposedBranch': proposedBranch,
    'dry.sha': proposed?.drySHA ?? '',
    'dry.shortSHA': shortSHA(proposed?.drySHA),
    'dry.subject': prefixOf(proposed?.subject ?? '', maxText),
    'dry.author': prefixOf(proposed?.author ?? '', maxText),
    'hydrated.sha': proposed?.hydratedSHA ?? '',
    'hydrated.shortSHA': shortSHA(proposed?.hydratedSHA),
    'active.dry.sha': active?.drySHA ?? '',
    'active.dry.shortSHA': shortSHA(active?.drySHA),
  };
}
