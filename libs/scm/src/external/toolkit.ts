import { TypedError, isTyped } from '@interlock/api';
import { truncate } from '@interlock/base';
import { originOf } from '../http/endpoint.js';
import { JsonApi } from '../http/json-api.js';
import { allPages } from '../http/pages.js';
import { parseObject } from '../http/payload.js';
import { digestOf, readSecretKey, readToken } from '../http/secret.js';
import { readableUrl } from '../http/text.js';
import { Section } from '../section.js';

/** What loaded plugins are given of the helpers that the plugins of the product are made of. */
export const scmToolkit = {
  TypedError,
  isTyped,
  Section,
  JsonApi,
  allPages,
  originOf,
  digestOf,
  readSecretKey,
  readToken,
  parseObject,
  readableUrl,
  truncate,
} as const;

export type ScmToolkit = typeof scmToolkit;
