const compared =
  'bool,bool int64,int,int int64_double,int,double int64_uint64,int,uint uint64,uint,uint uint64_double,uint,double uint64_int64,uint,int double,double,double double_int64,double,int double_uint64,double,uint string bytes timestamp duration';

const comparisons = (
  [
    ['_<_', 'less'],
    ['_<=_', 'less_equals'],
    ['_>_', 'greater'],
    ['_>=_', 'greater_equals'],
  ] as const
).flatMap(([name, prefix]) =>
  compared.split(' ').map((entry) => {
    const [id = '', left = id, right = left] = entry.split(',');
    return `${prefix}_${id} ${name}(${left}, ${right}) bool`;
  }),
);

const timestampParts = (
  [
    ['getFullYear', 'year'],
    ['getMonth', 'month'],
    ['getDayOfYear', 'day_of_year'],
    ['getDayOfMonth', 'day_of_month'],
    ['getDate', 'day_of_month_1_based'],
    ['getDayOfWeek', 'day_of_week'],
    ['getHours', 'hours'],
    ['getMinutes', 'minutes'],
    ['getSeconds', 'seconds'],
    ['getMilliseconds', 'milliseconds'],
  ] as const
).flatMap(([name, part]) => [
  `timestamp_to_${part} (timestamp).${name}() int`,
  `timestamp_to_${part}_with_tz (timestamp).${name}(string) int`,
]);

/** The operators and functions of the CEL standard library, with the names and the order of cel-go (common/stdlib). */
export const standardFunctions = `
conditional _?_:_(bool, A, A) A
logical_and _&&_(bool, bool) bool
logical_or _||_(bool, bool) bool
logical_not !_(bool) bool
not_strictly_false @not_strictly_false(bool) bool
equals _==_(A, A) bool
not_equals _!=_(A, A) bool
add_bytes _+_(bytes, bytes) bytes
add_double _+_(double, double) double
add_duration_duration _+_(duration, duration) duration
add_duration_timestamp _+_(duration, timestamp) timestamp
add_timestamp_duration _+_(timestamp, duration) timestamp
add_int64 _+_(int, int) int
add_list _+_(list<A>, list<A>) list<A>
add_string _+_(string, string) string
add_uint64 _+_(uint, uint) uint
divide_double _/_(double, double) double
divide_int64 _/_(int, int) int
divide_uint64 _/_(uint, uint) uint
modulo_int64 _%_(int, int) int
modulo_uint64 _%_(uint, uint) uint
multiply_double _*_(double, double) double
multiply_int64 _*_(int, int) int
multiply_uint64 _*_(uint, uint) uint
negate_double -_(double) double
negate_int64 -_(int) int
subtract_double _-_(double, double) double
subtract_duration_duration _-_(duration, duration) duration
subtract_int64 _-_(int, int) int
subtract_timestamp_duration _-_(timestamp, duration) timestamp
subtract_timestamp_timestamp _-_(timestamp, timestamp) duration
subtract_uint64 _-_(uint, uint) uint
${comparisons.join('\n')}
index_list _[_](list<A>, int) A
index_map _[_](map<A,B>, A) B
optional_list_index_int _[_](optional<list<V>>, int) optional<V>
optional_map_index_value _[_](optional<map<K,V>>, K) optional<V>
in_list @in(A, list<A>) bool
in_map @in(A, map<A,B>) bool
size_bytes size(bytes) int
bytes_size (bytes).size() int
size_list size(list<A>) int
list_size (list<A>).size() int
size_map size(map<A,B>) int
map_size (map<A,B>).size() int
size_string size(string) int
string_size (string).size() int
type type(A) type<A>
bool_to_bool bool(bool) bool
string_to_bool bool(string) bool
bytes_to_bytes bytes(bytes) bytes
string_to_bytes bytes(string) bytes
double_to_double double(double) double
int64_to_double double(int) double
string_to_double double(string) double
uint64_to_double double(uint) double
duration_to_duration duration(duration) duration
string_to_duration duration(string) duration
to_dyn dyn(A) dyn
int64_to_int64 int(int) int
double_to_int64 int(double) int
duration_to_int64 int(duration) int
string_to_int64 int(string) int
timestamp_to_int64 int(timestamp) int
uint64_to_int64 int(uint) int
string_to_string string(string) string
bool_to_string string(bool) string
bytes_to_string string(bytes) string
double_to_string string(double) string
duration_to_string string(duration) string
int64_to_string string(int) string
timestamp_to_string string(timestamp) string
uint64_to_string string(uint) string
timestamp_to_timestamp timestamp(timestamp) timestamp
int64_to_timestamp timestamp(int) timestamp
string_to_timestamp timestamp(string) timestamp
uint64_to_uint64 uint(uint) uint
double_to_uint64 uint(double) uint
int64_to_uint64 uint(int) uint
string_to_uint64 uint(string) uint
contains_string (string).contains(string) bool
ends_with_string (string).endsWith(string) bool
starts_with_string (string).startsWith(string) bool
matches matches(string, string) bool
matches_string (string).matches(string) bool
${timestampParts.join('\n')}
duration_to_hours (duration).getHours() int
duration_to_minutes (duration).getMinutes() int
duration_to_seconds (duration).getSeconds() int
duration_to_milliseconds (duration).getMilliseconds() int
`;
