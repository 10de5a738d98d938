import type { Account } from '../../domain/model.js';
import { nodeId, type Links } from '../links.js';
import type { Schemas } from '../schema.js';

/** Returns the `simple-user` of GitHub's API. */
export function presentAccount(links: Links, { id, login, type }: Account) {
  const path = encodeURIComponent(login);
  const api = `${links.api}/users/${path}`;
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${links.html}/avatars/${id}`,
    gravatar_id: '',
    url: api,
    html_url:
      type === 'Bot' ? `${links.html}/apps/${path.replace(/%5Bbot%5D$/, '')}` : `${links.html}/${path}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type,
    site_admin: false,
  } satisfies Schemas['simple-user'];
}
