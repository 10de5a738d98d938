import { latestRuns } from '../domain/check-runs.js';
import type { Repository } from '../domain/model.js';
import { latestStatuses } from '../domain/statuses.js';
import type { Commit } from '../git/commit.js';
import type { FileChange } from '../git/diff.js';
import { html, webUrl, type Html } from './html.js';
import { state, table } from './layout.js';

/** Returns the commits in the given order, each with a link. */
export function commitTable(home: string, commits: readonly Commit[]): Html {
  return table(
    ['commit', 'author', 'date', 'message'],
    commits.map(
      ({ sha, author, message }) =>
        html`<tr>
          <td>
            <a href="${home}/commit/${sha}"><code>${sha.slice(0, 10)}</code></a>
          </td>
          <td>${author.name}</td>
          <td>${author.date}</td>
          <td>${message.split('\n', 1)[0]}</td>
        </tr>`,
    ),
  );
}

/** Returns the statuses and check runs of a commit as a table. */
export function checkTable(repository: Repository, sha: string): Html {
  const statuses = latestStatuses(repository, sha).map(({ context, state: word, description, targetUrl }) =>
    checkRow(context, word, description, targetUrl),
  );
  const runs = latestRuns(repository, sha).map(({ name, status, conclusion, output, detailsUrl }) =>
    checkRow(name, conclusion ?? status, output.summary, detailsUrl),
  );
  return table(['check', 'state', 'description'], [...statuses, ...runs]);
}

function checkRow(name: string, word: string, description: string | null, url: string | null): Html {
  const href = webUrl(url);
  return html`<tr>
    <td>${href === undefined ? name : html`<a href="${href}" rel="noreferrer">${name}</a>`}</td>
    <td>${state(word)}</td>
    <td>${description ?? ''}</td>
  </tr>`;
}

/** Returns the files of a diff with the number of changed lines. */
export function fileTable(files: readonly FileChange[]): Html {
  return table(
    ['file', 'status', '+', '-'],
    files.slice(0, 500).map(
      ({ path, previousPath, status, additions, deletions }) =>
        html`<tr>
          <td><code>${previousPath === undefined ? path : `${previousPath} → ${path}`}</code></td>
          <td>${status}</td>
          <td>${additions}</td>
          <td>${deletions}</td>
        </tr>`,
    ),
  );
}
