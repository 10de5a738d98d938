import { compare } from './compare.js';

const [seed = '0', schedules = '1', spoil = ''] = process.argv.slice(2);
const result = compare({ seed: Number(seed), schedules: Number(schedules), spoil: spoil === 'spoil' });
process.stdout.write(JSON.stringify(result));
