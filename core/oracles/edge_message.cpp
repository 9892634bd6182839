#include "oracles/edge_message.hpp"

#include "kernels/kernels.hpp"

namespace fwmap {

void edge_message(const EdgeCost& edge, const TablePool& tables, const double* entries, bool from_first, const double* x,
                  std::size_t n_in, std::size_t n_out, double* out, Envelope& envelope) {
  if (entries == nullptr && edge.kind == EdgeKind::kProduct)
    return tables.product(edge.table).message(edge.weight, edge.truncation, from_first, x, out);
  if (entries == nullptr && edge.kind != EdgeKind::kTable)
    return structured_message(edge, x, n_in, n_out, out, envelope);
  const double* table = entries == nullptr ? tables.table(edge.table) : entries;
  if (from_first)
    kernels().min_plus_columns(x, table, n_in, n_out, out);
  else
    kernels().min_plus_rows(x, table, n_in, n_out, out);
}

}  // namespace fwmap
