from .group_count import CountChoice as CountChoice, choose_group_count as choose_group_count
from .labels import OUTLIER as OUTLIER
from .measures import Measures as Measures, measure_clustering as measure_clustering
from .stability import describe_stability as describe_stability, measure_stability as measure_stability
from .ward_clustering import cluster_by_ward as cluster_by_ward, principal_components as principal_components
