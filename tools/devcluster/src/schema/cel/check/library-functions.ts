const ordered = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const summable = ['int', 'uint', 'double', 'duration'];
const formats =
  'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime';

function forEach(types: readonly string[], line: (type: string) => string): string {
  return types.map(line).join('\n');
}

/**
 * The functions of the libraries that the API server adds to the standard library: the functions of cel-go's extensions
 * and its own (apiserver/pkg/cel).
 */
export const libraryFunctions = `
string_to_url url(string) URL
url_get_scheme (URL).getScheme() string
url_get_host (URL).getHost() string
url_get_hostname (URL).getHostname() string
url_get_port (URL).getPort() string
url_get_escaped_path (URL).getEscapedPath() string
url_get_query (URL).getQuery() map<string,list<string>>
is_url_string isURL(string) bool
string_find_string (string).find(string) string
string_find_all_string (string).findAll(string) list<string>
string_find_all_string_int (string).findAll(string, int) list<string>
${forEach(ordered, (type) => `list_${type}_is_sorted_bool (list<${type}>).isSorted() bool`)}
${forEach(summable, (type) => `list_${type}_sum_${type} (list<${type}>).sum() ${type}`)}
${forEach(ordered, (type) => `list_${type}_max_${type} (list<${type}>).max() ${type}`)}
${forEach(ordered, (type) => `list_${type}_min_${type} (list<${type}>).min() ${type}`)}
list_a_index_of_int (list<A>).indexOf(A) int
list_a_last_index_of_int (list<A>).lastIndexOf(A) int
authorizer_path (Authorizer).path(string) PathCheck
authorizer_group (Authorizer).group(string) GroupCheck
authorizer_serviceaccount (Authorizer).serviceAccount(string, string) Authorizer
groupcheck_resource (GroupCheck).resource(string) ResourceCheck
resourcecheck_subresource (ResourceCheck).subresource(string) ResourceCheck
resourcecheck_namespace (ResourceCheck).namespace(string) ResourceCheck
resourcecheck_name (ResourceCheck).name(string) ResourceCheck
pathcheck_check (PathCheck).check(string) Decision
resourcecheck_check (ResourceCheck).check(string) Decision
decision_errored (Decision).errored() bool
decision_error (Decision).error() string
decision_allowed (Decision).allowed() bool
decision_reason (Decision).reason() string
authorizer_fieldselector (ResourceCheck).fieldSelector(string) ResourceCheck
authorizer_labelselector (ResourceCheck).labelSelector(string) ResourceCheck
optional_of optional.of(V) optional<V>
optional_ofNonZeroValue optional.ofNonZeroValue(V) optional<V>
optional_none optional.none() optional<V>
optional_value (optional<V>).value() V
optional_hasValue (optional<V>).hasValue() bool
optional_or_optional (optional<V>).or(optional<V>) optional<V>
optional_orValue_value (optional<V>).orValue(V) V
list_optindex_optional_int _[?_](list<V>, int) optional<V>
optional_list_optindex_optional_int _[?_](optional<list<V>>, int) optional<V>
map_optindex_optional_value _[?_](map<K,V>, K) optional<V>
optional_map_optindex_optional_value _[?_](optional<map<K,V>>, K) optional<V>
list_last (list<V>).last() optional<V>
list_first (list<V>).first() optional<V>
optional_unwrap optional.unwrap(list<optional<V>>) list<V>
optional_unwrapOpt (list<optional<V>>).unwrapOpt() list<V>
string_to_quantity quantity(string) Quantity
is_quantity_string isQuantity(string) bool
quantity_sign sign(Quantity) int
quantity_is_greater_than (Quantity).isGreaterThan(Quantity) bool
quantity_is_less_than (Quantity).isLessThan(Quantity) bool
quantity_compare_to (Quantity).compareTo(Quantity) int
quantity_get_float (Quantity).asApproximateFloat() double
quantity_get_int (Quantity).asInteger() int
quantity_is_integer (Quantity).isInteger() bool
quantity_add (Quantity).add(Quantity) Quantity
quantity_add_int (Quantity).add(int) Quantity
quantity_sub (Quantity).sub(Quantity) Quantity
quantity_sub_int (Quantity).sub(int) Quantity
string_char_at_int (string).charAt(int) string
string_index_of_string (string).indexOf(string) int
string_index_of_string_int (string).indexOf(string, int) int
string_last_index_of_string (string).lastIndexOf(string) int
string_last_index_of_string_int (string).lastIndexOf(string, int) int
string_lower_ascii (string).lowerAscii() string
string_replace_string_string (string).replace(string, string) string
string_replace_string_string_int (string).replace(string, string, int) string
string_split_string (string).split(string) list<string>
string_split_string_int (string).split(string, int) list<string>
string_substring_int (string).substring(int) string
string_substring_int_int (string).substring(int, int) string
string_trim (string).trim() string
string_upper_ascii (string).upperAscii() string
string_format (string).format(list<dyn>) string
strings_quote strings.quote(string) string
list_join (list<string>).join() string
list_join_string (list<string>).join(string) string
list_sets_contains_list sets.contains(list<T>, list<T>) bool
list_sets_equivalent_list sets.equivalent(list<T>, list<T>) bool
list_sets_intersects_list sets.intersects(list<T>, list<T>) bool
string_to_ip ip(string) ip
ip_family (ip).family() int
ip_is_canonical ip.isCanonical(string) bool
ip_is_unspecified (ip).isUnspecified() bool
ip_is_loopback (ip).isLoopback() bool
ip_is_link_local_multicast (ip).isLinkLocalMulticast() bool
ip_is_link_local_unicast (ip).isLinkLocalUnicast() bool
ip_is_global_unicast (ip).isGlobalUnicast() bool
is_ip isIP(string) bool
ip_to_string string(ip) string
string_to_cidr cidr(string) cidr
cidr_contains_ip_string (cidr).containsIP(string) bool
cidr_contains_ip_ip (cidr).containsIP(ip) bool
cidr_contains_cidr_string (cidr).containsCIDR(string) bool
cidr_contains_cidr (cidr).containsCIDR(cidr) bool
cidr_ip (cidr).ip() ip
cidr_prefix_length (cidr).prefixLength() int
cidr_masked (cidr).masked() cidr
is_cidr isCIDR(string) bool
cidr_to_string string(cidr) string
format-validate (NamedFormat).validate(string) optional<list<string>>
format-named format.named(string) optional<NamedFormat>
${forEach(formats.split(' '), (name) => `format.${name} format.${name}() NamedFormat`)}
@mapInsert_map_key_value cel.@mapInsert(map<K,V>, K, V) map<K,V>
@mapInsert_map_map cel.@mapInsert(map<K,V>, map<K,V>) map<K,V>
string_to_semver semver(string) Semver
string_bool_to_semver semver(string, bool) Semver
is_semver_string isSemver(string) bool
is_semver_string_bool isSemver(string, bool) bool
semver_is_greater_than (Semver).isGreaterThan(Semver) bool
semver_is_less_than (Semver).isLessThan(Semver) bool
semver_compare_to (Semver).compareTo(Semver) int
semver_major (Semver).major() int
semver_minor (Semver).minor() int
semver_patch (Semver).patch() int
list_slice (list<T>).slice(int, int) list<T>
list_flatten (list<list<T>>).flatten() list<T>
list_flatten_int (list<dyn>).flatten(int) list<dyn>
${forEach(ordered, (type) => `list_${type}_sort (list<${type}>).sort() list<${type}>`)}
${forEach(ordered, (type) => `list_${type}_sortByAssociatedKeys (list<T>).@sortByAssociatedKeys(list<${type}>) list<T>`)}
lists_range lists.range(int) list<int>
list_reverse (list<T>).reverse() list<T>
list_distinct (list<T>).distinct() list<T>
`;
