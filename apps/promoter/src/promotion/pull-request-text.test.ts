import { expect, it } from '@jest/globals';
import { mergeMessage } from './merge-message.js';
import { noDrift } from './model.js';
import { pullRequestText } from './pull-request-text.js';

const sha = 'a'.repeat(40);
/* The limit of the field of a PullRequest. */
const maxMessage = 30_000;

it('shows the beginning of a subject and of a name of any length', () => {
  const long = '*'.repeat(maxMessage);
  const proposed = {
    hydratedSHA: sha,
    originSHA: sha,
    treeSHA: sha,
    drySHA: sha,
    problem: undefined,
    subject: `Update ${long}`,
    author: `Ada ${long}`,
    revertOf: undefined,
  };
  const facts = { branch: 'dev', proposedBranch: 'dev-next', unchangedBy: [], contained: false, ...noDrift };
  const templates = {
    titleTemplate: '{{ dry.subject }}',
    descriptionTemplate: '{{ dry.subject }} {{ dry.author }}',
  };
  const text = pullRequestText(templates, { ...facts, proposed });
  expect(text.description).toMatch(/^Update &#42;.* Ada &#42;/);
  expect(mergeMessage(text, { proposed }, [], []).length).toBeLessThan(maxMessage);
});
