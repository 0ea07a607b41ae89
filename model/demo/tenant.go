package demo

// tenant is a project with its users and the services that it runs.
type tenant struct {
	project  string
	users    []string
	services []string
}

// Tenants, by the flavors that they run.
func cpuTenants() []tenant {
	return []tenant{
		{"web-shop", []string{"alice", "svc-deploy"}, []string{"shop-web", "shop-api", "shop-db", "shop-cache"}},
		{"analytics", []string{"deepa", "svc-airflow"}, []string{"spark-worker", "kafka", "clickhouse"}},
		{"ci", []string{"svc-ci"}, []string{"runner", "build-cache"}},
		{"erp", []string{"george", "svc-erp"}, []string{"erp-app", "erp-db"}},
		{"student-lab", []string{"mara", "tom", "yuki"}, []string{"lab-vm"}},
	}
}

func gpuTenants() []tenant {
	return []tenant{
		{"ml-train", []string{"chen", "svc-train"}, []string{"train", "finetune"}},
		{"ml-serve", []string{"svc-infer"}, []string{"infer"}},
		{"render", []string{"lena", "svc-farm"}, []string{"render-node", "cad-desk"}},
	}
}

func pinnedTenants() []tenant {
	return []tenant{{"telco", []string{"svc-nfv"}, []string{"upf", "vrouter"}}}
}
