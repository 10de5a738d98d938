import { objectAt, textAt, valueAt } from '../../object.js';
import { checkSubdomain } from '../../registry/names.js';
import { invalid, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';

const form = '; desired format: https://host[/path]';

/**
 * Returns the problems with the `clientConfig` of a webhook. Source: k8s.io/apiserver/pkg/util/webhook, validation.go.
 */
export function checkClientConfig(config: JsonObject, path: string): Cause[] {
  const url = valueAt(config, 'url');
  const service = valueAt(config, 'service');
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  return url === undefined
    ? checkService(objectAt(config, 'service'), `${path}.service`)
    : checkUrl(textAt(config, 'url'), `${path}.url`);
}

function checkUrl(text: string, path: string): Cause[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    /* Go parses a text without a scheme as a path, without scheme and host. */
    return [
      invalid(path, '', `'https' is the only allowed URL scheme${form}`),
      invalid(path, '', `host must be provided${form}`),
    ];
  }
  const causes: Cause[] = [];
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'https') causes.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (url.host === '') causes.push(invalid(path, url.host, `host must be provided${form}`));
  if (url.username !== '') {
    causes.push(invalid(path, url.username, 'user information is not permitted in the URL'));
  }
  if (url.hash !== '')
    causes.push(invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search !== '') {
    causes.push(invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL'));
  }
  return causes;
}

function checkService(service: JsonObject, path: string): Cause[] {
  const causes: Cause[] = [];
  if (textAt(service, 'name') === '') causes.push(required(`${path}.name`, 'service name is required'));
  if (textAt(service, 'namespace') === '') {
    causes.push(required(`${path}.namespace`, 'service namespace is required'));
  }
  const port = valueAt(service, 'port');
  if (typeof port === 'number' && (port < 1 || port > 65_535)) {
    const why = 'port is not valid: must be between 1 and 65535, inclusive';
    causes.push(invalid(`${path}.port`, port, why));
  }
  return [...causes, ...checkPath(textAt(service, 'path'), `${path}.path`)];
}

function checkPath(text: string, path: string): Cause[] {
  if (text === '' || text === '/') return [];
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')];
  const start = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")];
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  return start.concat(
    segments.flatMap((segment, index) => {
      const place = `segment[${String(index)}]`;
      if (segment === '') return [invalid(path, text, `${place} may not be empty`)];
      const wrong = checkSubdomain(segment);
      return wrong === undefined ? [] : [invalid(path, text, `${place}: ${wrong}`)];
    }),
  );
}
