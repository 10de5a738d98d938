export { AnswerTimer } from './answer-timer.js';
export { processReasons } from './errors.js';
export { findProgram } from './program.js';
export type { ProgramResult } from './run.js';
export { runProgram, startProgram } from './shared.js';
export type { ProgramStart, SpawnedProcess } from './spawned-process.js';
