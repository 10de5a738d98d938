import { cause, text, type Cases } from './definition.js';
import { samples, type } from './samples.js';

/** Rules about the formats of strings. */
export const formatCases: Cases = {
  'refuses strings that do not have the format of the schema': samples({
    when: {
      schema: { ...text, format: 'date-time' },
      good: '2030-01-02T03:04:05Z',
      bad: 'today',
      causes: [cause('spec.when', 'spec.when in body must be of type date-time: "today"', type)],
    },
    day: {
      schema: { ...text, format: 'date' },
      good: '2030-01-02',
      bad: '2030-13-02',
      causes: [cause('spec.day', 'must be of type date', type)],
    },
    span: {
      schema: { ...text, format: 'duration' },
      good: '1h30m',
      bad: 'long',
      causes: [cause('spec.span', 'must be of type duration', type)],
    },
    address: {
      schema: { ...text, format: 'ipv4' },
      good: '10.0.0.1',
      bad: '10.0.0.256',
      causes: [cause('spec.address', 'must be of type ipv4', type)],
    },
    six: {
      schema: { ...text, format: 'ipv6' },
      good: 'fd00::1',
      bad: '10.0.0.1',
      causes: [cause('spec.six', 'must be of type ipv6', type)],
    },
    net: {
      schema: { ...text, format: 'cidr' },
      good: '10.0.0.0/8',
      bad: '10.0.0.0',
      causes: [cause('spec.net', 'must be of type cidr', type)],
    },
    id: {
      schema: { ...text, format: 'uuid' },
      good: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      bad: '6ba7',
      causes: [cause('spec.id', 'must be of type uuid', type)],
    },
    mail: {
      schema: { ...text, format: 'email' },
      good: 'a@example.com',
      bad: 'example',
      causes: [cause('spec.mail', 'must be of type email', type)],
    },
    link: {
      schema: { ...text, format: 'uri' },
      good: 'https://example.com/x',
      bad: ':',
      causes: [cause('spec.link', 'must be of type uri', type)],
    },
    host: {
      schema: { ...text, format: 'hostname' },
      good: 'a.example.com',
      bad: 'a b',
      causes: [cause('spec.host', 'must be of type hostname', type)],
    },
    bytes: {
      schema: { ...text, format: 'byte' },
      good: 'YWJj',
      bad: '%%',
      causes: [cause('spec.bytes', 'must be of type byte', type)],
    },
  }),

  'ignores formats that it does not know': samples({
    odd: {
      schema: { ...text, format: 'zipcode' },
      good: 'not a zip code',
      bad: 1,
      causes: [cause('spec.odd', 'must be of type string: "integer"', type)],
    },
  }),
};
