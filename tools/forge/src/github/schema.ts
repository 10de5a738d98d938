import type { components } from '@octokit/openapi-types';

/** The answers of GitHub's REST API, by its OpenAPI description. */
export type Schemas = components['schemas'];
