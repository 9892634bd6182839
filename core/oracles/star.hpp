#pragma once
// One point of a quadratic assignment and those it pays for, no place taken twice.

#include <memory>

#include "oracle.hpp"

namespace fwmap {

/// A matrix of the places, as all stars of a model read it. Place `n_places` stands for having none.
class StarTable {
 public:
  /// `right` is (n_places, n_places), row-major, finite; its diagonal means nothing. `n_none`: how many points of a
  /// star may have no place, at most.
  StarTable(std::span<const double> right, std::size_t n_places, std::size_t n_none);

  std::size_t n_places() const { return n_places_; }
  std::size_t n_none() const { return n_none_; }
  /// [column][centre's place]: right[place][column], 0 for columns and places that are none; where the two are the
  /// same place, +inf, or -inf where `weight` is below 0, so that their product is +inf.
  const double* by_column(double weight) const { return (weight < 0 ? minus_ : plus_).data(); }
  double largest() const { return largest_; }

 private:
  std::size_t n_places_, n_none_;
  std::vector<double> plus_, minus_;
  double largest_ = 0;
};

/// What a star term is made of. Point 0 is the centre.
struct Star {
  std::vector<double> weights;   ///< of the points behind the centre: left[centre][point], none of them 0
  std::vector<double> unaries;   ///< per point n_places + 1 labels, the last one to have none; +inf forbids
  bool may_have_none = false;    ///< some point of the model may have no place
  std::shared_ptr<const StarTable> table;
};

/// Minimises the unaries plus, where the centre has the place k and a point j the place l, weights[j] * right[k][l],
/// over the labelings in which no place is taken twice, exactly: for each place of the centre an assignment problem
/// (Gilmore, Lawler). Prices of the columns are kept for each of them from call to call: they bound what each place
/// of the centre costs at least, all at once, and few assignment problems are left to be solved.
///
/// Coordinates: the labels of point 0, of point 1, ...; a labeling sets one of each point.
///
/// value - rounding is what the prices prove for every place of the centre.
class StarOracle final : public Oracle {
 public:
  /// Throws std::invalid_argument where sizes do not match.
  explicit StarOracle(Star star);

  Index n_coordinates() const override { return static_cast<Index>(star_.unaries.size()); }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override;
  double operations() const override { return operations_; }
  double cost(std::span<const Index> support) const override;
  std::span<const double> unaries() const override { return star_.unaries; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void start_prices();
  void fill_costs(std::span<const double> weights);
  void bound_all();
  bool solve(std::size_t place);
  bool find_column(std::size_t row);
  double proved(std::size_t place);
  std::size_t leaves() const { return star_.weights.size(); }
  std::size_t labels() const { return star_.table->n_places() + 1; }
  /// Columns: the places, then as many that are none as there are leaves that may have none.
  std::size_t columns() const { return star_.table->n_places() + (star_.may_have_none ? leaves() : 0); }
  double price(std::size_t column, std::size_t place) const { return prices_[column * labels() + place]; }

  Star star_;
  double operations_ = 0;
  std::vector<double> centre_, costs_;       // of the centre's labels; [leaf][column] without the pairs
  std::vector<double> sizes_;                // of each leaf: the largest finite cost
  std::vector<double> prices_;               // [column][centre's place]
  std::vector<double> bounds_, lows_, net_;  // per place of the centre
  std::vector<std::size_t> order_;           // places of the centre, those that cost least first
  std::vector<double> table_;                // [leaf][column] with the pairs, of the place at hand
  std::vector<double> values_, v_;           // the dual of the assignment at hand: of rows, of columns
  std::vector<std::size_t> column_of_, row_of_;
  std::vector<double> distance_;
  std::vector<std::size_t> before_;
  std::vector<char> done_;
  std::vector<Index> best_;
};

}  // namespace fwmap
